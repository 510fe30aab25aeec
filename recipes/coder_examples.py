"""The utterances that `train_coder.py` learns from: human-coded ones, and own-written ones that are never tested on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fit import as_written
from maieutic.coding.encoder import Encoded, shared_encoder
from maieutic.coding.features import Row, Said, Style, restyle, row
from maieutic.coding.head_coder import extra_columns
from maieutic.coding.head_plan import HeadPlan
from maieutic.coding.schemes import get_scheme
from maieutic.runs.files import files_of_lines, read_lines
from maieutic.validation.coder.datasets import gold

OWN = Path(__file__).resolve().parent / "data"
_Labels = tuple[str, ...] | None
BORROWED: dict[str, dict[str, Callable[[dict[str, Any]], _Labels]]] = {
    "bolt_client": {"tracker_emotions": lambda row: ("Sharing Negative Emotions",)},
    "bolt_therapist": {"advice_turns": lambda row: ("Problem-Solving",) if row["advice"] else None},
}
"""Own-written files of other heads that a head learns from, too, with what their rows are to it; None for nothing."""

OWN_PARTS = {"appropriateness": ("long", "beliefs")}
"""Own-written files of a head that it learns from; where none are named, all."""


@dataclass(frozen=True, slots=True)
class Example:
    """One utterance: row id (numbers and published ids only), what folds keep together, features, labels as flags.

    `part` is the own-written file it stands in, and empty for a human-coded one.
    """

    id: str
    group: str
    session: str
    said: Said
    row: Row
    extra: tuple[float, ...]
    flags: tuple[int, ...]
    part: str = ""

    @property
    def only_training(self) -> bool:
        """Own-written: never tested on."""
        return bool(self.part)


def labels_of(plan: HeadPlan, found: set[str]) -> tuple[str, ...]:
    """The labels of a head in the order of its code book, as far as they occur."""
    book = get_scheme(plan.scheme)
    facet = next((one for one in book.facets if one.id == plan.facet), None)
    named = [one.id for one in (facet.values if facet else book.labels(plan.speaker))]
    ordered = [name.rpartition(":")[2] if plan.scheme == "feedback" else name for name in named]
    return tuple(label for label in dict.fromkeys(ordered) if label in found)


def own_lines(head: str) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """The own-written lines of a head: file, what was said before (or ''), text, labels."""
    for path in files_of_lines(OWN, f"coder_{head}*.jsonl"):
        part = path.stem.removeprefix(f"coder_{head}").strip("_") or "own"
        if part not in OWN_PARTS.get(head, (part,)):
            continue
        for item in as_written(path):
            yield part, item.get("before", ""), item["text"], tuple(item["labels"])
    for name, read_as in BORROWED.get(head, {}).items():
        for one in read_lines(OWN / f"{name}.jsonl"):
            labels = read_as(one)
            if labels is not None:
                yield name, "", one["text"], labels


def read(plan: HeadPlan, style: Style, data: Path, *, accurate: bool) -> tuple[list[Example], tuple[str, ...]]:
    """The human-coded utterances of a head, then own-written ones, which only ever serve training."""
    rows = gold(plan.id, data)
    labels = labels_of(plan, {label for one in rows for label in one.labels})
    told = []
    for one in rows:
        said = restyled(one, style)
        told.append((one.id, one.group, one.session, said, one.labels, ""))
    numbers: dict[str, int] = defaultdict(int)
    for part, before, text, given in own_lines(plan.id):
        row_id = f"{part}{numbers[part]}"
        numbers[part] += 1
        told.append((row_id, row_id, row_id, restyled(Said(text, before), style), given, part))
    spoken = [one[3] for one in told]
    extra = extra_columns(plan, spoken, read_by_encoder(plan, spoken, accurate))
    if extra is None:
        extra = np.zeros((len(told), 0))
    examples = [
        Example(id, group, session, said, row(said), tuple(map(float, extra[at])),
                tuple(int(label in given) for label in labels), part)
        for at, (id, group, session, said, given, part) in enumerate(told)
    ]  # fmt: skip
    return examples, labels


def restyled(said: Said, style: Style) -> Said:
    """An utterance in the punctuation that a style reads; the last turn of the other always counts as recent."""
    text, other, same, following = (restyle(one, style) for one in (said.text, said.other, said.same, said.following))
    recent = tuple(restyle(one, style) for one in said.recent) or ((other,) if other else ())
    return Said(text, other, same, recent, said.position, following)


def read_by_encoder(plan: HeadPlan, said: Sequence[Said], accurate: bool) -> Encoded | None:
    weights = plan.encoder_weights()
    if not accurate or plan.joined or weights is None:
        return None
    return shared_encoder(weights)(said)


def proper_names(texts: Sequence[str]) -> set[str]:
    """Words that are mostly capitalised where no sentence opens: names of people, places and products."""
    seen: dict[str, list[bool]] = defaultdict(list)
    for text in texts:
        for before, word in re.findall(r"([\w,;]\s+)?\b([A-Za-z]+(?:'[a-z]+)?)", text):
            if before:
                seen[word.lower()].append(word[0].isupper())
    return {word for word, upper in seen.items() if np.mean(upper) > 0.5 and not re.match(r"i('|$)", word)}
