"""The head behind the kinds of danger: a linear one on the shared sentence vectors, loaded at the first text."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.language.sentences import several
from maieutic.reading.bag import rows_within, sentence_row
from maieutic.reading.head import load

WEIGHTS: Final = "safety/weights/kind.npz"


@lru_cache(maxsize=5_000)
def chances(text: str) -> tuple[dict[str, float], ...]:
    """P(each of `kinds.READ`) for a turn, and, where it has several, for each sentence as a part of it."""
    head = load(WEIGHTS, "danger_kind")
    return tuple(map(head, (sentence_row(text, head.places), *rows_within(text, several(text), head.places))))
