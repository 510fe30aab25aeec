"""The head behind the kinds of danger: a linear one on the shared sentence vectors, loaded at the first text."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

WEIGHTS: Final = "safety/weights/kind.npz"


@lru_cache(maxsize=10_000)
def chances(text: str) -> dict[str, float]:
    """P(each of `kinds.READ`) for a sentence or a turn."""
    head = load(WEIGHTS, "danger_kind")
    return head(sentence_row(text, head.places))
