"""Finds what a reply attributes to the patient: feelings in nine groups and motives in classes, asserted or tentative."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from maieutic.gap.reads_into_feelings import wider
from maieutic.gap.reads_into_motives import MOTIVES, SURE, motive_of
from maieutic.gap.reads_into_purposes import CAUTIOUS, purposes
from maieutic.language.feelings import attributions as feelings_attributed
from maieutic.language.sentences import content_words, sentences

Sort = Literal["feeling", "motive"]

_TENTATIVE: Final = re.compile(
    r"\b(?:i wonder|perhaps|maybe|might|may be|could it be|could be|sounds? (?:like|as|to me)|it seems|seems (?:like|as|to me)|i imagine|i(?:'m| am) (?:guessing|curious|wondering)|(?:could|can) (?:well )?imagine|i guess|i suspect|i suppose|my (?:guess|hunch|sense)|is it that|if i (?:hear|understand)|possibly|correct me|or am i)\b|\?",
    re.I,
)
SURER: Final = 0.36
"""Probability of a motive's class in a construction that often says something else."""
_TAG: Final = re.compile(
    r",?\s*(?:(?:are|do|were|did|have|wo|is|was|has|would|had)n['’]t (?:you|it|that)|right|no|eh)\s*\?\s*$", re.I
)
_SAID: Final = re.compile(r"\byou(?:'ve)? (?:told me|said|say|mentioned|were saying)\b", re.I)
_AMBIGUOUS: Final = frozenset("alone bitter cross down empty exposed flat heavy hurt low mad small tense worry".split())
_OF_THE_PATIENT: Final = re.compile(
    r"\b(?:feel\w*|felt|you(?:'re| are| were| seem| sound| look| must)|(?:left|made|makes|leaves) you)\b", re.I
)
_SOMEONE: Final = re.compile(
    r"^(?:and |so |but )?(?:he|she|they|your (?:husband|wife|mother|father|mum|dad|son|daughter|sister|brother|boss|friend))(?:'s|'re| is| are| was| were| sounds?| seems?| seemed| felt| feels)\b",
    re.I,
)
_PLAINLY: Final = re.compile(r"\byou(?:'re| are| feel| felt| want\w*| must)\b", re.I)
_GENERAL: Final = re.compile(
    r"\b(?:each time|every time|whenever|people|anyone|everybody|the more|symptoms?|is called|in general|usually|most of us|research|studies|a (?:normal|common|natural) (?:part|reaction|response|feeling))\b",
    re.I,
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
    for sentence in sentences(reply.replace("’", "'")):
        if _GENERAL.search(sentence) and not _PLAINLY.search(sentence):
            continue  # about people in general
        plain = _TAG.sub(".", sentence)
        found += _feelings(plain)
        found += _motives(plain)
    return tuple(found)


def _feelings(sentence: str) -> list[Claim]:
    if _SOMEONE.match(sentence):
        return []
    guessed = bool(_TENTATIVE.search(sentence))
    about = bool(_OF_THE_PATIENT.search(sentence))
    kept: dict[str, Claim] = {}
    for one in feelings_attributed(sentence):
        if one.word not in _AMBIGUOUS or about:
            kept.setdefault(one.group, Claim("feeling", one.group, one.tentative or guessed, one.word))
    for group, word in wider(sentence):
        kept.setdefault(group, Claim("feeling", group, guessed, word))
    return list(kept.values())


def _motives(sentence: str) -> list[Claim]:
    tentative = bool(_TENTATIVE.search(sentence))
    kept: dict[str, Claim] = {}
    for purpose in purposes(sentence):
        name = motive_of(purpose.words, SURER if purpose.frame in CAUTIOUS else SURE)
        if name is not None:
            kept.setdefault(name, Claim("motive", name, tentative, purpose.words))
    return list(kept.values())


def stated(claim: Claim, before: str) -> bool:
    """Whether the patient's own words before the reply say it: the motive's class, or half of its content words."""
    mine = content_words(claim.words)
    own = content_words(before)
    return bool(mine) and len(mine & own) / len(mine) >= 0.5


__all__ = ["MOTIVES", "Claim", "claims", "stated"]
