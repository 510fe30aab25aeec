"""A therapist turn as patients hear it: what it asks and how, whether it asks leave, which feelings it attributes.

An ear of their own: no coder and no scorer hears with it (`reading/moves.py` is theirs).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.language.sentences import sentences
from maieutic.reading.ear import Attribution, Ear, Question

WEIGHTS: Final = "patients/weights/ear.npz"
NAME: Final = "patients_marks"
LABELS: Final = ("question", "aside", "open", "leading", "muddled", "advice", "leave", "feeling", "tentative")
LEADS: Final = 0.65
"""Chance from which a question is heard as leading. At 0.5, where F1 is best out of fold, 8 of 180 skilled turns of
development talks were; here it is 4."""
_EAR: Final = Ear(WEIGHTS, NAME, LEADS)

questions = _EAR.questions
statements = _EAR.statements
asks_permission = _EAR.asks_permission
attributions = _EAR.attributions
chances = _EAR.chances


@lru_cache(maxsize=20_000)
def is_muddled(text: str) -> bool:
    """What the turn asks could hardly be made out by anybody."""
    return any("muddled" in _EAR.marks(sentence) for sentence in sentences(text) if "?" in sentence)


__all__ = [
    "Attribution",
    "Question",
    "asks_permission",
    "attributions",
    "chances",
    "is_muddled",
    "questions",
    "statements",
]
