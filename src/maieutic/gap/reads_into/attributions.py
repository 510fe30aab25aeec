"""Finds what a reply attributes to the patient: feelings in nine groups and motives in classes, asserted or tentative.

One head says whether a sentence attributes a feeling, another which; so of motives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np

from maieutic.gap.reads_into.signs import NOTHING, chances_of, feeling_row, group_row, manner_row, motive_row, tails
from maieutic.language.feelings import LEXICON
from maieutic.language.sentences import content_words, sentences, words
from maieutic.reading.bag import sentence_row
from maieutic.reading.head import load

WEIGHTS: Final = "gap/weights/reads_into.npz"
"""Inside the package; `recipes/fit.py feeling_told feeling_groups` makes it."""


def feelings_told(sentence: str) -> Iterator[tuple[str, str]]:
    """(group, words) of every feeling that the patient is said to have; the lexicon's word where it has one."""
    told, groups = load(WEIGHTS, "feeling_told"), load(WEIGHTS, "feeling_groups")
    if told.read(feeling_row(sentence, told.places)).label != "yes":
        return
    chances = groups(group_row(sentence, groups.places))
    likeliest = max(chances, key=lambda group: chances[group])
    said = f" {' '.join(words(sentence))} "
    for group, chance in chances.items():
        if group == likeliest or chance >= groups.doubt:
            yield group, next((term for term in LEXICON[group] if f" {term} " in said), sentence)


MOTIVES: Final = (
    "self_punish",
    "punish",
    "perfect",
    "test_others",
    "prove",
    "push_away",
    "control",
    "attention",
    "reassurance",
    "belong",
    "approval",
    "fairness",
    "avoid",
    "hide",
    "protect_self",
    "protect_other",
    "give_up",
    "independence",
    "rest",
    "save_money",
    "be_healthy",
    "repair",
    "do_well",
    "compete",
    "closeness",
)
"""The classes of motives."""


def motive_told(sentence: str) -> tuple[str, str] | None:
    """(class, words) of the motive that the patient is said to have; None where none is.

    The class is the likeliest by the whole sentence and by the one of its ends that speaks most for any.
    """
    told, clauses, classes = (load(WEIGHTS, name) for name in ("motive_told", "motive_clauses", "motive_classes"))
    row = motive_row(sentence, told.places, clauses, clauses.places)
    if told(row)["yes"] < told.doubt:
        return None
    ends = tails(sentence)
    known = classes.places
    chances = chances_of(classes, np.array([sentence_row(text, known) for text in (sentence, *ends)]))
    chances[:, classes.labels.index(NOTHING)] = 0.0
    best = int((chances[0] + chances[1:].max(axis=0)).argmax())
    return classes.labels[best], ends[int(chances[1:, best].argmax())]


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
