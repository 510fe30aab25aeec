"""Words that constructed failures share: clauses of the patient's turned round, denied, or with the wrong person in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from maieutic.language.sentences import words
from maieutic.therapists.wording import handles, key_clause

_DENIALS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.I), put)
    for pattern, put in (
        (r"\b(?:not|hardly) ", ""),
        (r"\b(do|did|does|was|were|is|are|have|has|had|would|could|should)n['’]t\b", r"\1"),
        (r"\bcan['’]t\b|\bcannot\b", "can"),
        (r"\bwon['’]t\b", "will"),
        (r"\bnever\b", "always"),
        (r"\b(?:nobody|no one)\b", "everybody"),
        (r"\balways\b", "never"),
        (r"\b(are|is|was|were|have|has|had|can|will|would|could|should)\b(?! not)", r"\1 not"),
        (r"\b(you|we|they|he|she|it)['’](re|ve|s|ll|d)\b", r"\1'\2 not"),
        (
            r"\byou (?=[a-z]+ed\b|went\b|said\b|told\b|got\b|felt\b|thought\b|came\b|made\b|saw\b|knew\b|left\b)",
            "you never ",
        ),
        (r"\byou (?=[a-z])", "you don't "),
    )
)
_OTHERS = {
    "mother": "father", "mum": "dad", "father": "mother", "dad": "mum", "sister": "brother", "brother": "sister",
    "wife": "sister", "husband": "brother", "son": "nephew", "daughter": "niece", "boss": "neighbour",
    "manager": "landlord", "friend": "cousin", "partner": "flatmate", "girlfriend": "cousin", "boyfriend": "flatmate",
    "teacher": "coach", "colleague": "neighbour", "work": "university", "school": "the office", "office": "college",
    "monday": "Friday", "friday": "Tuesday", "sunday": "Wednesday", "night": "morning", "morning": "evening",
    "yesterday": "a month ago", "week": "year", "year": "week", "two": "five", "three": "seven", "four": "nine",
}  # fmt: skip


def clause_of(texts: Sequence[str]) -> str | None:
    """The most telling clause of the latest text that has one, in the second person."""
    found = next((found for text in reversed(texts) if (found := key_clause(text))), None)
    if not found:
        return None
    begun, _, joint = found.rpartition(" ")
    return (begun.removesuffix(",") if joint in ("but", "and", "so", "or") else found).removeprefix("if ")


def denied(clause: str) -> str | None:
    """The contrary of a clause in the second person, or None where it cannot be had by one change."""
    if words(clause)[:1] and words(clause)[0] in ("if", "when", "because", "as", "since"):
        return None
    for pattern, put in _DENIALS:
        changed, count = pattern.subn(put, clause, count=1)
        if count:
            return changed
    return None


def mixed_up(clause: str) -> str | None:
    """A clause with somebody or something else in it, or None where there is nothing to exchange."""
    found = re.compile(rf"\b({'|'.join(_OTHERS)})\b", re.I)
    changed, count = found.subn(lambda match: _OTHERS[match.group(1).lower()], clause, count=2)
    return changed if count else None


def person_of(texts: Sequence[str], otherwise: str = "the others") -> str:
    """Somebody or something that the patient spoke of last."""
    found = handles(texts)
    return found[-1] if found else otherwise


__all__ = ["clause_of", "denied", "mixed_up", "person_of"]
