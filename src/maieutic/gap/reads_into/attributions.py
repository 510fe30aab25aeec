"""Finds what a reply attributes to the patient: feelings in nine groups and motives in classes, asserted or
tentative."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from maieutic.gap.reads_into.feelings import WEIGHTS, feelings_told
from maieutic.gap.reads_into.motives import MOTIVES, motive_told
from maieutic.gap.reads_into.signs import manner_row
from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.head import load

Sort = Literal["feeling", "motive"]

_TAG: Final = re.compile(
    r",?\s*(?:(?:are|do|were|did|have|wo|is|was|has|would|had)n['’]t (?:you|it|that)|right|no|eh)\s*\?\s*$", re.I
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One feeling or motive that a reply attributes to the patient.

    Attributes:
        sort: Feeling or motive.
        name: One of the nine emotion groups, or a class of `MOTIVES`.
        tentative: Offered as a guess or a question; a leading tag ("aren't you?") is none.
        words: The words that say it, without its frame.
    """

    sort: Sort
    name: str
    tentative: bool
    words: str


@lru_cache(maxsize=20_000)
def claims(reply: str) -> tuple[Claim, ...]:
    """What a reply attributes to the patient, feelings before motives within a sentence; each class once a sentence."""
    found: list[Claim] = []
    for sentence in plain_sentences(reply):
        feelings, motive = tuple(feelings_told(sentence)), motive_told(sentence)
        if feelings or motive:
            guessed = is_tentative(sentence)
            found += [Claim("feeling", group, guessed, said) for group, said in feelings]
            found += [Claim("motive", motive[0], guessed, motive[1])] if motive else []
    return tuple(found)


def plain_sentences(reply: str) -> tuple[str, ...]:
    """The sentences that hold words, apostrophes straightened, without a leading tag ("aren't you?")."""
    return tuple(_TAG.sub(".", sentence) for sentence in sentences(reply.replace("’", "'")) if words(sentence))


def is_tentative(sentence: str) -> bool:
    """Offered as a guess or a question."""
    head = load(WEIGHTS, "tentative")
    return head.read(manner_row(sentence, head.places)).label == "yes"


def stated(claim: Claim, before: str) -> bool:
    """Whether the patient's own words before the reply say it: the motive's class, or half of its content words."""
    mine = content_words(claim.words)
    own = content_words(before)
    return bool(mine) and len(mine & own) / len(mine) >= 0.5


__all__ = ["MOTIVES", "Claim", "claims", "is_tentative", "plain_sentences", "stated"]
