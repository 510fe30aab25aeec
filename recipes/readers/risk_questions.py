"""The patients' head for what is asked of somebody who told of suicide, declared for `recipes/fit.py`.

    python recipes/fit.py risk_questions

Rows: own-written questions, as a therapist asks them who has just been told.
"""

from __future__ import annotations

import numpy as np

from fit import Declared, Rows, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.patients.risk_talk import ASKS, WEIGHTS
from maieutic.reading.bag import sentence_row


def _rows() -> Rows:
    own = [(row["text"], row["asks"], f"own {n // 3}") for n, row in enumerate(own_lines("risk_questions"))]
    vocabulary = vocabulary_of(([text] for text, *_ in own), fewest=2)
    x = np.array([sentence_row(text, places(vocabulary)) for text, *_ in own])
    return Rows(x, [label for _, label, _ in own], [group for *_, group in own], vocabulary=vocabulary)


HEADS = [Declared("risk_questions", WEIGHTS, ASKS, _rows, Settings(penalty=10.0, doubt=0.35), folds=8)]
