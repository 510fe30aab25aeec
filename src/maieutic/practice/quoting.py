"""Which words of a patient a trainee can go on from, and how they are quoted."""

from __future__ import annotations

from typing import Final

from maieutic.language.questions import ends_as_question
from maieutic.language.sentences import words
from maieutic.practice.moves import matters

SAID_BACK: Final = (3, 22)
"""Words that a sentence has which can be said back."""
MATTERS: Final = 0.4
"""Chance from which one of several sentences of the patient is taken up as the one that matters."""
TAKEN_UP: Final = 14
"""Words of the patient that are quoted at most."""


def speakable(sentence: str) -> bool:
    """It can be said back: neither a word or two nor a speech, and no question."""
    return SAID_BACK[0] <= len(words(sentence)) <= SAID_BACK[1] and not ends_as_question(sentence)


def weighty(said: str) -> list[tuple[float, str]]:
    """Sentences that can be said back, with the chance that they carry what was meant."""
    return [(chance, one) for one, chance in matters(said).items() if speakable(one)]


def said_back(said: str) -> str | None:
    """The sentence of an answer that most likely carries what was meant; None where nothing in it can be taken up."""
    chance, best = max(weighty(said), default=(0.0, None))
    return best if chance >= MATTERS or len(matters(said)) == 1 else None


def quoted(sentence: str | None) -> str | None:
    """A sentence as it stands between quotation marks."""
    if sentence is None:
        return None
    told = sentence.strip(" \"'“”‘’").split()
    return " ".join(told).rstrip(".,;\"'”’") if len(told) <= TAKEN_UP else f"{' '.join(told[:TAKEN_UP])} …"
