"""The tracker's own heads for a therapist turn: what its question asks about, and how a sentence pushes.

    python recipes/fit.py asked_target

Rows: own-written questions and turns for the tracker, the own-written questions of the patients' slot heads (the rows, never the
heads), and own-written sentences of therapist turns whose form is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from fit import RECIPES, Declared, Rows
from heads import Settings, places, vocabulary_of
from maieutic.language.sentences import sentences
from maieutic.reading.bag import sentence_row
from maieutic.reading.drafts import questions
from maieutic.runs.files import read_lines
from maieutic.tracking.asked import OTHER, PUSHES, TARGETS_READ, WEIGHTS

ALIKE: Final = {"wide": "against", "conviction": "rating", "situation": OTHER, "none": OTHER}
"""What the slots of the patients' rows are here, where the name differs."""
OWN: Final = 3.0
"""Weight of a row written for this among those written for others."""
MIN_ITEMS: Final = 4


def _lines(name: str) -> list[dict[str, Any]]:
    return read_lines(RECIPES / "data" / f"{name}.jsonl")


def _rows(rows: Sequence[tuple[str, str, str, float]]) -> Rows:
    texts, y, groups, weights = zip(*rows, strict=True)
    vocabulary = vocabulary_of(((text,) for text in texts), fewest=MIN_ITEMS)
    x = np.array([sentence_row(text, places(vocabulary)) for text in texts])
    return Rows(x, y, groups, np.array(weights), vocabulary)


def _asked(text: str) -> str:
    """The last question of a turn, as the reader finds it."""
    found = questions(text)
    return ([q.text for q in found if not q.advising] or [q.text for q in found] or [text])[-1]


def asked_lines() -> list[tuple[str, str, str, float]]:
    """(question, what it asks, group, weight); a writer, or twenty own lines that were written together, are never torn
    apart."""
    rows = [
        (_asked(row["text"]), row["target"], f"own {n // 20}", OWN) for n, row in enumerate(_lines("tracker_questions"))
    ]
    for writer in "abcdefg":
        rows += [
            (_asked(row["text"]), ALIKE.get(row["slot"], row["slot"]), writer, 1.0)
            for row in _lines(f"question_slots_{writer}")
        ]
    return rows


def targets() -> Rows:
    """A row a question."""
    return _rows(asked_lines())


def pushes() -> Rows:
    """A row a sentence; turns of several sentences stay whole unless none of them pushes."""
    rows: list[tuple[str, str, str, float]] = []
    for n, row in enumerate(_lines("tracker_pushes")):
        parts = sentences(row["text"]) if row["push"] == "none" else (row["text"],)
        rows += [(part, row["push"], str(n // 10), 1.0) for part in parts]
    for n, row in enumerate(_lines("turn_sentences")):
        marks = set(row["marks"])
        if row["known"] == "form" and not marks & {"information", "affirmation"}:
            does = [name for mark, name in (("advice", "advises"), ("challenge", "disputes"), ("reassurance", "soothes"))
                    if mark in marks]  # fmt: skip
            rows.append((row["text"], (does or ["none"])[0], f"sentences {n // 10}", 1.0))
    return _rows(rows)


HEADS = [
    Declared("asked_target", WEIGHTS, TARGETS_READ, targets, Settings(penalty=10.0, doubt=0.4), folds=8),
    Declared("asked_push", WEIGHTS, PUSHES, pushes, Settings(penalty=10.0, doubt=0.7), folds=8),
]
