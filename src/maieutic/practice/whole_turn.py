"""What a sentence of a turn does, read with the whole turn around it and what the patient had just said, by an encoder
fine-tuned on turns in their moments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from maieutic.reading.encoder import bare_ids, load, marks

WEIGHTS: Final = Path(__file__).parent / "weights" / "turn_encoder.onnx"
"""`recipes/train_turn_encoder.py` makes it."""
HEARD, EARLIER, OWN, LATER = 70, 40, 70, 25
"""Tokens at most of what the patient said (its end), of the turn before the sentence (its end), of the sentence and of
the turn after it."""
WARMTH: Final = 1.0
"""What its log chances are divided by."""


@lru_cache(maxsize=4_000)
def sentence_chances(sentence: str, heard: str, earlier: str, later: str) -> dict[str, float]:
    """Chance of each kind of `practice.moves.KINDS`, and of a question for danger; together 1."""
    encoder = load(WEIGHTS)
    scores = encoder(*turn_ids(sentence, heard, earlier, later))[0].astype(np.float64) / WARMTH
    shares = np.exp(scores - scores.max())
    return dict(zip(encoder.facts["heads"]["kinds"], (shares / shares.sum()).tolist(), strict=True))


def turn_ids(sentence: str, heard: str, earlier: str, later: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Token ids and kinds (1: the sentence and its end mark, 0: all else)."""
    begin, end = marks()
    own = _ids(sentence)[:OWN]
    before = (begin, *_ids(heard)[-HEARD:], end, *_ids(earlier)[-EARLIER:], end)
    after = _ids(later)[:LATER]
    return (*before, *own, end, *after), (*_kinds(0, before), *_kinds(1, own), 1, *_kinds(0, after))


def _kinds(kind: int, ids: Sequence[int]) -> tuple[int, ...]:
    return (kind,) * len(ids)


def _ids(text: str) -> tuple[int, ...]:
    return bare_ids(text.replace("’", "'"))
