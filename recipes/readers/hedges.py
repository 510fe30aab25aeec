"""The head that tells a sentence which carries nothing (a hedge, a courtesy of speech) from one that does something.

Data: `hedges.jsonl` (own-written by one hand: hedges, and sentences that look like them and ask, guess, advise, reflect, care
about danger or validate), and the parts of replies whose kind of move was labelled (`knows_vs_does_moves.jsonl`), which are none.
"""

from __future__ import annotations

import numpy as np

from fit import Declared, Rows, own_lines
from maieutic.gap.hedges import WEIGHTS, hedge_row
from maieutic.gap.turn_vectors import ENCODER
from maieutic.reading.bag import places, vocabulary_of
from maieutic.reading.head import Settings

MOST = 800
"""Parts of labelled replies that are learned from, evenly spread."""


def _rows() -> Rows:
    told = [(row["text"], "hedge" if row["hedge"] else "other") for row in own_lines("hedges")]
    moves = [text for row in own_lines("knows_vs_does_moves") for kind, text in row["parts"] if kind]
    told += [(text, "other") for text in moves[:: max(1, len(moves) // MOST)]]
    texts = [text for text, _ in told]
    vocabulary = vocabulary_of([(text,) for text in texts], 3)
    where = places(vocabulary)
    x = np.stack([hedge_row(text, where) for text in texts])
    return Rows(x, [label for _, label in told], [str(at) for at in range(len(told))], vocabulary=vocabulary)


HEADS = [
    Declared(
        "hedge",
        WEIGHTS,
        ("hedge", "other"),
        _rows,
        Settings(penalty=3.0, doubt=0.8),
        fitted_on=f"minilm-l6-v2-int8 and {ENCODER}",
    )
]
