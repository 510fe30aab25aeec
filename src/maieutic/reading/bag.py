"""Which known words and pairs of neighbouring words a text holds: features beside sentence vectors, with a learned
vocabulary."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np

from maieutic.reading.head import Floats
from maieutic.reading.minilm import shared_minilm

MIN_TEXTS: Final = 3
"""Texts that hold a word or pair before it is known."""
_TOKEN: Final = re.compile(r"[a-z]+(?:'[a-z]+)*|\d+|[?!:]")


def grams(text: str) -> frozenset[str]:
    """Words and pairs of neighbouring words, with marks of where a text begins and ends."""
    found = ["<", *_TOKEN.findall(text.lower().replace("’", "'")), ">"]
    return frozenset(found) | {f"{one} {two}" for one, two in pairwise(found)}


def bag(text: str, vocabulary: Mapping[str, int]) -> Floats:
    """Which known words and pairs a text holds, of unit length. (len(vocabulary),)"""
    row = np.zeros(len(vocabulary))
    known = [vocabulary[gram] for gram in grams(text) if gram in vocabulary]
    row[known] = 1.0 / np.sqrt(max(len(known), 1))
    return row


def sentence_row(text: str, vocabulary: Mapping[str, int]) -> Floats:
    """The vector of a sentence or a short turn, and which known words and pairs it holds. (384 + len(vocabulary),)"""
    return np.concatenate([shared_minilm()([text])[0].astype(np.float64), bag(text, vocabulary)])


def vocabulary_of(texts: Iterable[Iterable[str]], fewest: int = MIN_TEXTS) -> tuple[str, ...]:
    """Words and pairs that at least `fewest` texts hold, in order; a text is given as its parts."""
    count = Counter(gram for parts in texts for gram in frozenset[str]().union(*map(grams, parts)))
    return tuple(sorted(gram for gram, n in count.items() if n >= fewest))


@lru_cache(maxsize=16)
def places(vocabulary: tuple[str, ...]) -> Mapping[str, int]:
    """Place of each known word or pair among the features of `bag`."""
    return {gram: at for at, gram in enumerate(vocabulary)}
