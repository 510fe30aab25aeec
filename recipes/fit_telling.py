"""Fits the head that tells advice and telling from questions, prints its figures by left-out hand, and writes its weights.

    python recipes/fit_telling.py [--dry] [--data ../shared/data]

Learns from labelled turns about facts of development cases (`comprehension_*`, `reach_turns`), well-asked turns of seven hands
(`asked_how_*`) and of the first hand of `question_versions`, sentences of advice (`advice_turns`), moments of practice and a sixth
of the turns of interviews. Hands are left out in six folds for the figures; for interviews, whose writers are not noted, talks, so
that one writer stands on both sides there. The packaged head learned from all these rows: it is held against `told_final.jsonl`
alone and, with the folder of research data, against skilled free speech, by itself and where the coder of sessions hears advice,
too, which is what counts. Held-out turns on test cases are not read. Some minutes of one core.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from maieutic.coding.rules import code_text
from maieutic.domain.codes import Move
from maieutic.patients.hearing.asked import TELLS, telling_features
from maieutic.reading.head import Head, load, packed
from maieutic.reading.minilm import MiniLM
from maieutic.runs.files import files_of_lines, read_lines

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "recipes" / "data"
UNTOUCHED = ROOT / "tests" / "coding" / "data" / "told_final.jsonl"
TARGET = ROOT / "src" / "maieutic" / "patients" / "weights" / "telling.npz"
FOLDS, TELLING, SHARE_OF_TALKS = 6, 0.25, 6
TOLD = frozenset({"advice", "told"})
WELL_ASKED = ("good", "good_alike", "skilled", "double")
VERSIONS = ("good", "single", "grounded", "key", "open")
GOOD = frozenset(
    {
        "open_question",
        "closed_question",
        "simple_reflection",
        "complex_reflection",
        "empathy",
        "summary",
        "guess",
        "affirmation",
        "room",
        "repair",
        "process",
    }
)
"""Kinds of sentence of which a moment of practice may consist that neither advises nor tells."""
WEIGHT = {"told": 3.0, "interview": 0.5}


@dataclass(frozen=True)
class Row:
    """A turn, whether it advises or tells, by which hand, of which kind."""

    text: str
    tells: bool
    hand: str
    kind: str


def lines(name: str) -> list[dict[str, Any]]:
    return read_lines(DATA / name)


def rows() -> Iterator[Row]:
    """Leading turns are told by their form and left out."""
    for path in files_of_lines(DATA, "comprehension_*.jsonl"):
        for one in lines(path.name):
            if one["kind"] != "leading":
                yield Row(one["text"], one["kind"] in TOLD, path.stem, one["kind"])
    for one in lines("reach_turns.jsonl"):
        for turn in one["turns"]:
            if turn["kind"] != "leading":
                yield Row(turn["t"], turn["kind"] in TOLD, f"reach {one['hand']}", turn["kind"])
    for path in files_of_lines(DATA, "asked_how_*.jsonl"):
        for one in lines(path.name):
            yield from (Row(one[name], False, path.stem, name) for name in WELL_ASKED if name in one)
    for one in lines("question_versions.jsonl"):
        if one["hand"] == 1:
            yield from (Row(one[name], False, "versions", "version") for name in VERSIONS)
    for one in lines("advice_turns.jsonl"):
        if one["advice"] or one["label"] in ("question", "reflection"):
            yield Row(one["text"], one["advice"], "advice", "advice" if one["advice"] else f"no advice, {one['label']}")
    yield from moments()
    for at, talk in enumerate(lines("hearing_talks.jsonl.xz")):
        for number, turn in enumerate(talk["turns"]):
            how = turn.get("how")
            if how == "telling" or (how is None and (number + at) % SHARE_OF_TALKS == 0):
                kind = "interview, telling" if how else "interview"
                yield Row(turn["t"], bool(how), f"talk {at % 20}", kind)


def moments() -> Iterator[Row]:
    """Moments of practice that only ask and give back, that advise without an open question, that only inform."""
    for one in lines("practice_moments.jsonl.xz"):
        for turn in one["turns"]:
            labels, text = {label for _, label in turn}, " ".join(text for text, _ in turn)
            hand = f"moments {one['hand']}"
            if labels <= GOOD:
                yield Row(text, False, hand, "moment")
            elif "advice" in labels and "open_question" not in labels:
                yield Row(text, True, hand, "moment, advice")
            elif labels == {"information"}:
                yield Row(text, True, hand, "moment, information")


def fitted(x: NDArray[np.float64], some: Sequence[Row]) -> LogisticRegression:
    weights = [WEIGHT.get(row.kind, 1.0) for row in some]
    return LogisticRegression(C=1.0, max_iter=3000).fit(x, [row.tells for row in some], sample_weight=weights)


def tell_of_packaged(turns: Sequence[tuple[str, str, str]], embed: MiniLM) -> None:
    """Takes kind, what was said before, and text: how many the packaged head takes for telling, and with the coder."""
    packaged = load("patients/weights/telling.npz", "telling")
    taken = [TELLS in packaged.counted(telling_features(text, embed([text])[0])) for _, _, text in turns]
    advice = [
        took and Move.ADVICE in code_text(text, before) for took, (_, before, text) in zip(taken, turns, strict=True)
    ]
    for kind in sorted({kind for kind, _, _ in turns}):
        own = [at for at, (named, _, _) in enumerate(turns) if named == kind]
        alone, both = (sum(some[at] for at in own) for some in (taken, advice))
        print(f"  {kind}: {alone} of {len(own)} taken for telling, {both} for advice by the coder, too")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry", action="store_true", help="writes no weights")
    parser.add_argument("--data", type=Path, help="folder of research data")
    asked = parser.parse_args()
    every, embed = list(rows()), MiniLM(cached_texts=20_000)
    print("packaged head, untouched hand")
    untouched = read_lines(UNTOUCHED)
    plain = [(one["kind"] if one["plain"] else f"{one['kind']}, not plain", one) for one in untouched]
    tell_of_packaged([(kind, one["before"], one["text"]) for kind, one in plain], embed)
    if asked.data:
        print("packaged head, skilled free speech")
        tell_of_packaged(list(skilled(asked.data)), embed)
    x = np.array([telling_features(row.text, embed([row.text])[0]) for row in every])
    order = {hand: place for place, hand in enumerate(sorted({row.hand for row in every}))}
    fold = np.array([order[row.hand] % FOLDS for row in every])
    found = np.zeros(len(every), dtype=bool)
    for part in range(FOLDS):
        away = fold == part
        model = fitted(x[~away], [row for row, out in zip(every, away, strict=True) if not out])
        found[away] = model.predict_proba(x[away])[:, 1] >= TELLING
    tells = np.array([row.tells for row in every])
    print(f"hands (of interviews: talks) left out: misses {1 - found[tells].mean():.3f} of {tells.sum()}, ", end="")
    print(f"takes {found[~tells].mean():.3f} of {(~tells).sum()}")
    for kind in sorted({row.kind for row in every}):
        for which, word in ((True, "tells"), (False, "asks or gives back")):
            own = np.array([row.kind == kind and row.tells == which for row in every])
            if own.any():
                print(f"  {kind} ({own.sum()}, {word}): taken for telling {found[own].mean():.3f}")
    if not asked.dry:
        form = fitted(x, every)
        head = Head((TELLS,), form.coef_, form.intercept_, many=True, doubt=TELLING, fitted_on=embed.name)
        np.savez_compressed(TARGET, **packed(head, "telling", np.float64))


def skilled(data: Path) -> Iterator[tuple[str, str, str]]:
    """Kind, what was said before and text of each turn of skilled free speech."""
    for line in (data / "talks" / "skilled_free_speech.jsonl").read_text(encoding="utf-8").splitlines():
        talk = json.loads(line)
        before = talk["opening"]
        for turn in talk["turns"]:
            yield "skilled", before, turn["therapist"]
            before = turn["patient"]


if __name__ == "__main__":
    main()
