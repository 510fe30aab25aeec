"""The head that reads what the sentences of an answer to somebody in distress do (`gap.single_vs_session_rubric`)."""

from __future__ import annotations

import numpy as np

from fit import Declared, Rows, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.gap.single_vs_session.rubric import DOES
from maieutic.reading.bag import sentence_row


def answers() -> Rows:
    """A row a sentence."""
    lines = own_lines("vignette_sentences")
    texts = [line["text"] for line in lines]
    vocabulary = vocabulary_of((text,) for text in texts)
    x = np.array([sentence_row(text, places(vocabulary)) for text in texts])
    return Rows(x, [line["does"] for line in lines], texts, vocabulary=vocabulary)


HEADS = [Declared("answers", "gap/weights/single_vs_session.npz", DOES, answers, Settings(penalty=5.0, doubt=0.5))]
