"""Whether a question is open: own-written questions of nine kinds, and those of `moves.py` whose form was labelled.

`question_forms.jsonl` holds what the ear's rows lack: scales, leave, questions about facts, yes-or-no questions with a
question word inside. Of turns with several questions only closed ones are learned from, since no label says which is open.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fit import Declared, Rows
from heads import Settings, places, vocabulary_of
from maieutic.reading.ear import features
from maieutic.reading.moves import ASKING, FORMS, asking
from maieutic.runs.files import read_lines
from readers import moves

DATA = Path(__file__).parents[1] / "data" / "question_forms.jsonl"
OPEN = frozenset(("wide", "invitation"))


def _rows() -> Rows:
    found: dict[str, tuple[bool, str]] = {}
    for row in read_lines(DATA):
        parts, is_open = asking(row["text"]), row["kind"] in OPEN
        if len(parts) == 1 or not is_open:
            found |= dict.fromkeys(parts, (is_open, f"forms {row['style']}"))
    for line in (one for source in (moves._own, moves._spoken, moves._concepts) for one in source()):
        if "open" in line.known and line.known.get("question", True):
            found.setdefault(line.text, (line.known["open"], line.writer))
        elif line.known.get("aside") or line.known.get("leave"):
            found.setdefault(line.text, (False, line.writer))
    vocabulary = vocabulary_of([text] for text in found)
    at = places(vocabulary)
    return Rows(
        np.array([features(text, at) for text in found]),
        [FORMS[0] if is_open else FORMS[1] for is_open, _ in found.values()],
        [writer for _, writer in found.values()],
        vocabulary=vocabulary,
    )


HEADS = [Declared("asking", ASKING, FORMS, _rows, Settings(penalty=2.0))]
