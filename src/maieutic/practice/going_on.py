"""Which sentence of an answer is worth going on with: what it meant, what was felt or believed, and not a detail of the tale."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

WEIGHTS: Final = "practice/weights/going_on.npz"
LABELS: Final = ("meaning", "detail")


@lru_cache(maxsize=20_000)
def worth(sentence: str) -> float:
    """Chance that a patient's sentence says what something meant to them and not only what there was, 0–1."""
    head = load(WEIGHTS, "going_on")
    return head(sentence_row(sentence, head.places))["meaning"]
