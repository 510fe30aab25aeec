"""A therapist turn as coder and scorers hear it: what it asks and how, what it attributes, what each sentence does."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from maieutic.language.sentences import sentences
from maieutic.reading.ear import Attribution, Ear, Question, features
from maieutic.reading.head import load

PLACE: Final = "reading/weights/moves.npz"
_EAR: Final = Ear(PLACE, "marks")

questions = _EAR.questions
statements = _EAR.statements
asks_permission = _EAR.asks_permission
attributions = _EAR.attributions
marks = _EAR.marks
chances = _EAR.chances
read_together = _EAR.read_together


def does(text: str, *labels: str) -> bool:
    """Any sentence of a turn does one of these things (labels of `recipes/readers/moves.py`)."""
    return any(not marks(sentence).isdisjoint(labels) for sentence in sentences(text))


@lru_cache(maxsize=20_000)
def reaches_for(question: str) -> str:
    """What a question reaches for: 'evidence', 'perspective', 'implication', 'emotion' or 'none' of them."""
    head = load(PLACE, "reaches")
    return head.read(features(question, head.places)).label or "none"


__all__ = [
    "Attribution",
    "Question",
    "asks_permission",
    "attributions",
    "chances",
    "does",
    "marks",
    "questions",
    "reaches_for",
    "read_together",
    "statements",
]
