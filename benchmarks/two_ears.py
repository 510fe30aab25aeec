"""How patients and scorers hear the same therapist turns: how well each does, and how many mistakes they share.

    python benchmarks/two_ears.py
    python benchmarks/two_ears.py --data ../shared/data/annomi/AnnoMI-full.csv

Sentences: a hand whose lines no head was fitted on (`tests/reading/data/turn_sentences_heldout.jsonl`), label by label. Turns:
what AnnoMI's coders hold a therapist's utterance for (majority, a tie counts as yes), where the data is at hand. Brackets:
95 % bootstrap intervals, over moments and over videos; of two ears they are drawn together.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maieutic.patients import ear as patients
from maieutic.reading import moves as scorers

ROOT = Path(__file__).resolve().parents[1]
HELD_OUT = ROOT / "tests" / "reading" / "data" / "turn_sentences_heldout.jsonl"
ONLY_OF = {"open": "question", "tentative": "feeling"}
"""Labels that say how another one is done."""
DRAWS = 1_000
Marks = NDArray[np.bool_]


def f1(found: Marks, truth: Marks) -> float:
    """F1 of one label; nan where it is neither found nor there."""
    both = int(found.sum() + truth.sum())
    return 2 * int((found & truth).sum()) / both if both else float("nan")


def compared(title: str, truth: Marks, one: Marks, other: Marks, groups: Sequence[object]) -> None:
    """Prints F1 of patients' and scorers' ear, the difference, and the mistakes that both make."""
    places: dict[object, list[int]] = defaultdict(list)
    for at, group in enumerate(groups):
        places[group].append(at)
    members = [np.array(own) for own in places.values()]
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(DRAWS):
        rows = np.concatenate([members[at] for at in rng.integers(0, len(members), len(members))])
        drawn.append((f1(one[rows], truth[rows]), f1(other[rows], truth[rows])))
    draws = np.array(drawn)
    low, high = np.nanpercentile(draws, 2.5, axis=0), np.nanpercentile(draws, 97.5, axis=0)
    apart = np.nanpercentile(draws[:, 1] - draws[:, 0], (2.5, 97.5))
    wrong, also = one != truth, other != truth
    print(
        f"{title}: {int(truth.sum())} of {len(truth)}; patients {f1(one, truth):.3f} [{low[0]:.3f}, {high[0]:.3f}], "
        f"scorers {f1(other, truth):.3f} [{low[1]:.3f}, {high[1]:.3f}], difference {apart[0]:+.3f} to {apart[1]:+.3f}; "
        f"wrong {int(wrong.sum())} and {int(also.sum())}, both {int((wrong & also).sum())}"
    )


def sentences() -> None:
    """Every label that the held-out hand gave, over the sentences of which that hand was sure."""
    rows = [json.loads(line) for line in HELD_OUT.read_text(encoding="utf-8").splitlines()]
    for label in scorers.chances(rows[0]["text"]):
        sure = [
            row for row in rows if label not in row.get("unsure", ()) and ONLY_OF.get(label) in (None, *row["labels"])
        ]
        if label == "question":
            read = [[bool(ear.questions(row["text"])) for row in sure] for ear in (patients, scorers)]
        else:
            read = [[label in ear.marks(row["text"]) for row in sure] for ear in (patients, scorers)]
        truth = np.array([label in row["labels"] for row in sure])
        compared(label, truth, np.array(read[0]), np.array(read[1]), [row["moment"] for row in sure])


def turns(data: Path) -> None:
    """AnnoMI's utterances."""
    coded: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    with data.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["interlocutor"] == "therapist":
                coded[row["transcript_id"], row["utterance_id"]].append(row)

    def told(column: str, value: str) -> Marks:
        return np.array([2 * sum(row[column] == value for row in rows) >= len(rows) for rows in coded.values()])

    texts, videos = [rows[0]["utterance_text"] for rows in coded.values()], [video for video, _ in coded]
    heard: dict[str, tuple[Marks, Callable[[object, str], bool]]] = {
        "asks (AnnoMI)": (
            told("question_exists", "True"),
            lambda ear, text: any(not q.advising for q in ear.questions(text)),
        ),  # type: ignore[attr-defined]
        "asks openly (AnnoMI)": (
            told("question_subtype", "open"),
            lambda ear, text: any(q.open and not q.advising for q in ear.questions(text)),  # type: ignore[attr-defined]
        ),
    }
    for title, (truth, reads) in heard.items():
        one, other = (np.array([reads(ear, text) for text in texts]) for ear in (patients, scorers))
        compared(title, truth, one, other, videos)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "annomi" / "AnnoMI-full.csv")
    options = parser.parse_args()
    sentences()
    if options.data.is_file():
        turns(options.data)
    else:
        print(f"no {options.data.name} there: no turns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
