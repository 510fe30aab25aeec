"""What a statement of the therapist does to what the patient said: gives it back, comforts, interprets, praises, or tells."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

WEIGHTS: Final = "practice/weights/given_back.npz"
LABELS: Final = ("gives_back", "comforts", "interprets", "applauds", "names_strength", "tells")


@lru_cache(maxsize=20_000)
def kinds(sentence: str) -> Mapping[str, float]:
    """Chance of each label for a statement; they exclude each other."""
    head = load(WEIGHTS, "given_back")
    return head(sentence_row(sentence, head.places))


def gives_back(sentence: str) -> float:
    """Chance that a statement gives back what the patient said and does nothing else to it, 0–1."""
    return kinds(sentence)["gives_back"]
