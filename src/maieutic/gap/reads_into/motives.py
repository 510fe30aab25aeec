"""The motive that a sentence attributes to the patient: a head says whether, another which of the classes."""

from __future__ import annotations

from typing import Final

import numpy as np

from maieutic.gap.reads_into.feelings import WEIGHTS
from maieutic.gap.reads_into.signs import NOTHING, chances_of, motive_row, tails
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

MOTIVES: Final = (
    "self_punish",
    "punish",
    "perfect",
    "test_others",
    "prove",
    "push_away",
    "control",
    "attention",
    "reassurance",
    "belong",
    "approval",
    "fairness",
    "avoid",
    "hide",
    "protect_self",
    "protect_other",
    "give_up",
    "independence",
    "rest",
    "save_money",
    "be_healthy",
    "repair",
    "do_well",
    "compete",
    "closeness",
)
"""The classes of motives."""


def motive_told(sentence: str) -> tuple[str, str] | None:
    """(class, words) of the motive that the patient is said to have; None where none is.

    The class is the likeliest by the whole sentence and by the one of its ends that speaks most for any.
    """
    told, clauses, classes = (load(WEIGHTS, name) for name in ("motive_told", "motive_clauses", "motive_classes"))
    row = motive_row(sentence, told.places, clauses, clauses.places)
    if told(row)["yes"] < told.doubt:
        return None
    ends = tails(sentence)
    known = classes.places
    chances = chances_of(classes, np.array([sentence_row(text, known) for text in (sentence, *ends)]))
    chances[:, classes.labels.index(NOTHING)] = 0.0
    best = int((chances[0] + chances[1:].max(axis=0)).argmax())
    return classes.labels[best], ends[int(chances[1:, best].argmax())]
