"""Sentences of a reply that carry nothing: hedges and courtesies of speech, taken off before its moves are read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.gap.turn_vectors import turn_vector
from maieutic.language.sentences import sentences
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

WEIGHTS: Final = "gap/weights/hedges.npz"


@lru_cache(maxsize=20_000)
def without_hedges(text: str) -> str:
    """The reply without its pure hedges ("I may have this wrong, and please say so."); as it is where nothing else is
    in it.

    Each sentence is read by itself by a head that was trained on own-written hedges and on sentences that look like
    them and do something.
    """
    parts = sentences(text)
    if len(parts) < 2:
        return text
    head = load(WEIGHTS, "hedge")
    kept = [part for part in parts if head.read(hedge_row(part, head.places)).label != "hedge"]
    return " ".join(kept) if kept and len(kept) < len(parts) else text


def hedge_row(sentence: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a sentence: what it is about, what it does, whether it asks, how long it is, its words."""
    form = np.array([sentence.rstrip().endswith("?"), min(len(sentence.split()), 30) / 30])
    return np.concatenate([shared_minilm()([sentence])[0], turn_vector(sentence), form, bag(sentence, vocabulary)])


__all__ = ["WEIGHTS", "hedge_row", "without_hedges"]
