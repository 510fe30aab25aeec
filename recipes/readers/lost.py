"""The head of the kinds of therapist turn (`gap.lost_labels`): own-written turns and the development rows of its detector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import yaml
from scipy.sparse import csr_matrix

from fit import Declared, Rows, as_heard, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.gap.lost.labels import KINDS, features
from maieutic.language.sentences import sentences

ROOT = Path(__file__).parents[2]


def told() -> list[tuple[str, str, str]]:
    """Every labelled turn: text, kind, and the turn whose other style it is, or itself."""
    names = ("turn_kinds", "turn_kinds_b", "turn_kinds_styles", "turn_kinds_lists")
    own = [row for name in names for row in own_lines(name)]
    seen = yaml.safe_load((ROOT / "tests" / "gap" / "data" / "lost_detector.yaml").read_text(encoding="utf-8"))
    labels = {row["text"]: row["label"] for row in own}
    labels |= {row["said"]: row["label"] for row in as_heard(seen["labels"]["dev"]) if row["label"] in KINDS}
    found = [(text, label, text) for text, label in labels.items()]
    found += [(text, _kind(row), row["turn"]) for row in own_lines("turn_wordings") for text in wordings(row)]
    return found + [
        (text, row["label"], row["texts"][0])
        for row in own_lines("style_quads")
        if row["reader"] == "kinds"
        for text in row["texts"]
    ]


def wordings(row: dict[str, str]) -> tuple[str, ...]:
    """A turn as it is, formal behind thanks, behind a hedge, and in few words."""
    return row["turn"], f"{row['thanks']} {row['formal']}", f"{row['hedge']} {row['turn']}", row["short"]


def _kind(row: dict[str, str]) -> str:
    """The kind of a turn of which it was said whether it concludes; else what it asks tells it."""
    if row["label"] == "yes":
        return "answer_attempt"
    asked = sum(part.rstrip().endswith("?") for part in sentences(row["turn"]))
    return "interrogation" if asked > 1 else "clarification" if asked else "discussion"


def turns() -> Rows:
    """Every turn is its own group, with its other styles."""
    every = told()
    vocabulary = vocabulary_of((text,) for text, *_ in every)
    x = np.array([features(text, places(vocabulary)) for text, *_ in every])
    return Rows(csr_matrix(x), [label for _, label, _ in every], [group for *_, group in every], vocabulary=vocabulary)


HEADS = [Declared("turn_kinds", "gap/weights/lost.npz", KINDS, turns, Settings(penalty=5.0), folds=4)]
