"""Practice's head for which sentence of a patient's answer is worth going on with.

    python recipes/fit.py going_on

Rows: own-written sentences of patients in four hands; the feelings, beliefs, rules, wishes and losses of some, the places, people and
things of others. Groups are hands.
"""

from __future__ import annotations

import numpy as np

from fit import Declared, Rows, own_lines
from maieutic.practice.going_on import LABELS, WEIGHTS
from maieutic.reading.bag import places, sentence_row, vocabulary_of
from maieutic.reading.head import Settings


def _rows() -> Rows:
    own = [(row["text"], row["label"], row["hand"]) for row in own_lines("worth_going_on")]
    vocabulary = vocabulary_of(([text] for text, *_ in own), fewest=3)
    x = np.array([sentence_row(text, places(vocabulary)) for text, *_ in own])
    return Rows(x, [label for _, label, _ in own], [group for *_, group in own], vocabulary=vocabulary)


HEADS = [Declared("going_on", WEIGHTS, LABELS, _rows, Settings(penalty=10.0), folds=4)]
