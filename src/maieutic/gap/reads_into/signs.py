"""What the heads of attributed feelings and motives see of a sentence: vectors, known words, who is spoken of, and its
ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from maieutic.domain.case import EMOTION_GROUPS
from maieutic.gap.replies import ADVISING, ASKING, CONDITIONS, NEGATIONS, OTHERS, SUBJECT, YOU, I
from maieutic.language.feelings import LEXICON, feelings_in
from maieutic.language.sentences import words
from maieutic.reading.bag import bag, sentence_row
from maieutic.reading.head import Floats, Head, shares
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.moves import attributions

NOTHING: Final = "none"
PERSONS: Final = (YOU, OTHERS, I)
_FEELING_WORDS: Final = frozenset(term for terms in LEXICON.values() for term in terms)
_OPENERS: Final = frozenset(
    """to because so that for of about since as you you're want wants wanted is was by order with means after
    lets spares keeps being your need like from at cos""".split()
)
"""Words after which a sentence may say what a deed is for."""
LONGEST: Final = 14
MAX_PARTS: Final = 8


def group_row(text: str, vocabulary: Mapping[str, int]) -> Floats:
    """What tells the groups of feelings apart: vector, bag, and the groups whose words stand in the lexicon."""
    named = feelings_in(text)
    return np.concatenate(
        [sentence_row(text, vocabulary), 0.5 * np.array([group in named for group in EMOTION_GROUPS])]
    )


def feeling_row(text: str, vocabulary: Mapping[str, int]) -> Floats:
    """What tells whether a feeling is said to be the patient's: vector, bag, the lexicon's frames, and the persons."""
    framed = 0.5 * float(bool(attributions(text)))
    return np.concatenate([sentence_row(text, vocabulary), [framed], 0.4 * np.array(_persons(text))])


def manner_row(text: str, vocabulary: Mapping[str, int]) -> Floats:
    """What tells a guess from a claim: vector, bag, and whether it ends in a question."""
    return np.concatenate([sentence_row(text, vocabulary), [0.5 * float(text.rstrip().endswith("?"))]])


def motive_row(text: str, vocabulary: Mapping[str, int], clauses: Head, places: Mapping[str, int]) -> Floats:
    """What tells whether a motive is said to be the patient's: vector, bag, persons, and how its likeliest end reads.

    Args:
        text: The sentence.
        vocabulary: Place of each word or pair that the head knows.
        clauses: The head that classes a clause alone. places: Its vocabulary.
    """
    return np.concatenate(
        [
            0.5 * shared_minilm()([text])[0].astype(np.float64),
            bag(text, vocabulary),
            0.6 * np.array(_persons(text)),
            0.8 * np.array(_ends(text, clauses, places)),
        ]
    )


def tails(text: str) -> tuple[str, ...]:
    """Where a sentence may say what a deed is for: what follows each opener, the longest first; itself where there is
    none."""
    whole = text.rstrip(" .?!,")
    parts = whole.split()
    found = [" ".join(parts[at + 1 :]) for at, part in enumerate(parts[:-1]) if part.lower().strip(",;:") in _OPENERS]
    return tuple(tail for tail in found if len(tail.split()) <= LONGEST)[-MAX_PARTS:] or (whole,)


def chances_of(head: Head, rows: Floats) -> Floats:
    """Probabilities before calibration, so that what is fitted on them does not move with it."""
    return shares(head.scores(rows))


def _ends(text: str, clauses: Head, places: Mapping[str, int]) -> list[float]:
    found = tails(text)
    chances = chances_of(clauses, np.array([sentence_row(tail, places) for tail in found]))
    nothing = clauses.labels.index(NOTHING)
    some = np.delete(chances, nothing, axis=1).max(axis=1)
    best = int(some.argmax())
    said, tail = list(words(text)), words(found[best])
    before = said[: len(said) - len(tail)]
    return [
        some[best],
        chances[best, nothing],
        chances[:, nothing].min(),
        float(some.mean()),
        *_nearest(before),
        _any(before, NEGATIONS),
        _any(before, ADVISING),
        _any(before, I),
        _any(before, OTHERS),
        float(not before),
        float(bool(before) and before[-1] in ("to", "because", "so", "that", "for", "of")),
        min(len(tail), LONGEST) / LONGEST,
    ]


def _persons(text: str) -> list[float]:
    """Who is named before the first feeling word, who opens the sentence, and whether it denies, supposes, asks or
    advises."""
    said = list(words(text))
    at = next((n for n, word in enumerate(said) if word in _FEELING_WORDS), None)
    before, there = said[:at], float(at is not None)
    nearest = _nearest(before)
    first = next((n for word in said for n, kind in enumerate((SUBJECT, OTHERS, I)) if word in kind), 3)
    told = any(one in SUBJECT and other in ADVISING for one, other in pairwise(said))
    return [
        *nearest,
        *(float(first == n) for n in range(4)),
        float(told or "you'll" in said),
        there,
        *(there * one for one in nearest[:3]),
        there * _any(before[-4:], NEGATIONS),
        _any(said, NEGATIONS),
        _any(said[:1], CONDITIONS),
        _any(said[:1], ASKING),
        float(text.rstrip().endswith("?")),
        min(len(said), 30) / 30,
        _any(said, YOU),
        there * _any(said[at + 1 : at + 4] if at is not None else (), YOU),
    ]


def _nearest(said: Sequence[str]) -> list[float]:
    """The last person named, one-hot: the patient, somebody else, the therapist, nobody."""
    last = next((n for word in reversed(said) for n, kind in enumerate(PERSONS) if word in kind), 3)
    return [float(last == n) for n in range(4)]


def _any(said: Sequence[str], kind: frozenset[str]) -> float:
    return float(any(word in kind for word in said))
