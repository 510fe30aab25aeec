"""Sentences of a reply that carry nothing: hedges, thanks and courtesies of speech, left out before moves are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from maieutic.gap.turn_vectors import turn_vector
from maieutic.reading.bag import bag
from maieutic.reading.head import Floats, load
from maieutic.reading.minilm import shared_minilm

WEIGHTS: Final = "gap/weights/openings.npz"
NOTHING: Final = "nothing"


def without_openings(parts: Sequence[str], keeps: Callable[[str], bool] | None = None) -> list[str]:
    """The sentences of a reply without those that carry nothing ("I may have this wrong, and please say so."); all of
    them where nothing else is left.

    Each is read by itself by a head that was trained on own-written openings and on sentences that make a move.

    Args:
        parts: Sentences of one reply.
        keeps: Whether a sentence that the head takes for an opening stays all the same: behind "correct me if I'm off:"
            there may stand a conclusion.
    """
    if len(parts) < 2:
        return list(parts)
    head = load(WEIGHTS, "openings")

    def carries(part: str) -> bool:
        return head.read(opening_row(part, head.places)).label != NOTHING or (keeps is not None and keeps(part))

    return [part for part in parts if carries(part)] or list(parts)


def opening_row(sentence: str, vocabulary: Mapping[str, int]) -> Floats:
    """What the head sees of a sentence: what it is about, what it does, whether it asks, how long it is, its words."""
    form = np.array([sentence.rstrip().endswith("?"), min(len(sentence.split()), 30) / 30])
    return np.concatenate([shared_minilm()([sentence])[0], turn_vector(sentence), form, bag(sentence, vocabulary)])


__all__ = ["NOTHING", "WEIGHTS", "opening_row", "without_openings"]
