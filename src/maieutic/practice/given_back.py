"""Whether a statement of the therapist gives back what was said, or comforts, or tells something of its own."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

WEIGHTS: Final = "practice/weights/given_back.npz"
LABELS: Final = ("gives_back", "comforts", "tells")


@lru_cache(maxsize=20_000)
def gives_back(sentence: str) -> float:
    """Chance that a statement gives back what the patient said and does not comfort or tell, 0–1."""
    head = load(WEIGHTS, "given_back")
    return head(sentence_row(sentence, head.places))["gives_back"]
