"""Reads AnnoMI and BOLT as training examples for `train_coder.py`."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from maieutic.coding.embedded import alone, weights_file
from maieutic.coding.features import Row, Style, grams, in_place, restyle, row
from maieutic.coding.heads import load_head
from maieutic.coding.schemes import get_scheme

SPEAKERS = ("therapist", "client")


@dataclass(frozen=True, slots=True)
class Example:
    """One utterance: its row id (numbers only), the group that folds keep together, features and gold labels."""

    id: str
    group: str
    session: str
    raw: str
    row: Row
    extra: tuple[float, ...]
    gold: tuple[int, ...]
    only_training: bool = False


def read_annomi(data: Path, speaker: str, style: Style) -> list[Example]:
    """The utterances of one speaker, in their dialogues."""
    labels = [label.id for label in get_scheme("annomi").labels(speaker)]
    sessions: dict[str, list[dict[str, str]]] = defaultdict(list)
    with (data / "annomi" / "AnnoMI-simple.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            sessions[line["transcript_id"]].append(line)
    examples = []
    for session, lines in sessions.items():
        lines.sort(key=lambda line: int(line["utterance_id"]))
        said = in_place([(line["interlocutor"], restyle(line["utterance_text"], style)) for line in lines])
        for line, one in zip(lines, said, strict=True):
            if line["interlocutor"] == speaker:
                label = line["main_therapist_behaviour"] or line["client_talk_type"]
                video = re.sub(r"[?&](t|feature)=[^&]*", "", line["video_url"])
                examples.append(
                    Example(f"{session}:{line['utterance_id']}", video, session, line["utterance_text"], row(one), (),
                            tuple(int(label == name) for name in labels))
                )  # fmt: skip
    return examples


def read_bolt(data: Path, speaker: str) -> list[Example]:
    """The utterances of one speaker, labels gathered; the examples of the definitions only ever serve training."""
    labels = get_scheme("bolt").labels(speaker)
    found: dict[str, set[str]] = defaultdict(set)
    with (data / "bolt" / f"{speaker}_train.csv").open(encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            found[line["prompt"]].add(line["completion"])
    known, count = {" ".join(grams(text)) for text in found}, len(found)
    with (data / "bolt" / f"{speaker}_definitions.csv").open(encoding="utf-8-sig", newline="") as file:
        for label, line in zip(labels, csv.DictReader(file), strict=True):
            for number in (1, 2, 3):
                if " ".join(grams(line[f"positive example {number}"])) not in known:
                    found[line[f"positive example {number}"]].add(label.id)
    support = load_head(weights_file("annomi", speaker, "bare"))
    rows, extra = alone(list(found), support)
    return [
        Example(str(at), str(at), str(at), text, rows[at], tuple(extra[at]),
                tuple(int(label.id in given) for label in labels), only_training=at >= count)
        for at, (text, given) in enumerate(found.items())
    ]  # fmt: skip
