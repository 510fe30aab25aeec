"""The head that tells a sentence which carries nothing (a hedge, thanks, a courtesy of speech) from one that makes a move.

Data: `openers.jsonl` (own-written openings), `hedges.jsonl` (by another hand: hedges, and sentences that look like them and ask,
guess, advise, reflect, care about danger or validate), the thanks and hedges of two more hands with the turns behind them
(`turn_wordings.jsonl.xz`), and the sentences of replies whose kind of move was labelled
(`knows_vs_does_moves.jsonl`), which all do something.
"""

from __future__ import annotations

import numpy as np

from fit import Declared, Rows, own_lines
from heads import Settings, places, vocabulary_of
from maieutic.gap.replies import ENCODER, NOTHING, OPENINGS, opening_row
from maieutic.language.sentences import sentences


def _rows() -> Rows:
    moves = [
        part
        for row in own_lines("knows_vs_does_moves")
        for kind, text in row["parts"]
        if kind
        for part in sentences(text)
    ]
    told = [(row["text"], NOTHING) for row in own_lines("openers")]
    told += [(row["text"], NOTHING if row["hedge"] else "move") for row in own_lines("hedges")]
    worded = own_lines("turn_wordings")
    told += [(row[part], NOTHING) for row in worded for part in ("thanks", "hedge")]
    turns = [part for row in worded for wording in ("turn", "formal") for part in sentences(row[wording])]
    told += [(text, "move") for text in dict.fromkeys([*moves, *turns])]
    vocabulary = vocabulary_of([[text] for text, _ in told], 4)
    x = np.array([opening_row(text, places(vocabulary)) for text, _ in told])
    return Rows(x, [label for _, label in told], [text for text, _ in told], vocabulary=vocabulary)


HEADS = [
    Declared(
        "openings",
        OPENINGS,
        (NOTHING, "move"),
        _rows,
        Settings(penalty=3.0, doubt=0.8),
        fitted_on=f"minilm-l6-v2-int8 and {ENCODER}",
    )
]
