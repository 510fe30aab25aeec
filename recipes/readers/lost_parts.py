"""The head of what a turn tells beside a question (`gap.lost.labels`): does it supply a conclusion? Own-written turns and hands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from fit import Declared, Rows, own_lines
from heads import Settings
from maieutic.gap.lost.labels import ATTEMPTS, speaks_for_conclusion, told_and_asked, told_features
from maieutic.gap.replies import without_openings
from maieutic.language.sentences import sentences
from readers.lost import wordings

STYLES = 4
"""Wordings of a hand's answer that are read."""
CONCLUDES = {"gives_back": False, "tells": True, "interprets": True}
"""Of `given_back.jsonl`, what is told; comfort and praise are left out, since nobody said whether they conclude."""


def parts_of(text: str) -> tuple[str, tuple[str, ...]]:
    """What a turn tells and what it asks, as the reader of kinds takes them, openings left out."""
    return told_and_asked(without_openings(sentences(text), speaks_for_conclusion))


def hands() -> list[dict[str, Any]]:
    """The answers of every hand that was asked whether a turn concludes."""
    return [row for row in own_lines("reply_hands") if "item" not in row]


def every() -> Iterator[tuple[str, bool, str]]:
    """Every turn: its text, whether it concludes, and its hand or file."""
    for row in hands():
        yield from ((text, row["label"] == "yes", row["hand"]) for text in row["texts"][:STYLES])
    for name in ("turn_kinds", "turn_kinds_b", "turn_kinds_styles", "turn_kinds_lists"):
        yield from ((row["text"], row["label"] in ATTEMPTS, name) for row in own_lines(name))
    for row in own_lines("style_quads"):
        if row["reader"] == "kinds":
            yield from ((text, row["label"] in ATTEMPTS, "style_quads") for text in row["texts"])
    for row in own_lines("turn_wordings"):
        yield from ((text, row["label"] == "yes", row["hand"]) for text in wordings(row))
    for row in own_lines("given_back"):
        if row["label"] in CONCLUDES:
            yield row["text"], CONCLUDES[row["label"]], "given_back"


def turns() -> Rows:
    """What turns tell, with and without a question beside it; a hand or a file is a group."""
    kept = [(told, label, group) for text, label, group in every() if (told := parts_of(text)[0])]
    x = np.array([told_features(told) for told, *_ in kept])
    return Rows(x, ["yes" if label else "no" for _, label, _ in kept], [group for *_, group in kept])


HEADS = [Declared("told_part", "gap/weights/lost_parts.npz", ("no", "yes"), turns, Settings(penalty=4.0), folds=20)]
