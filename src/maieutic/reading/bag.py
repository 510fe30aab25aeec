"""Which known words and pairs of neighbouring words a text holds: features beside sentence vectors, with a learned
vocabulary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

import numpy as np

from maieutic.reading.head import Floats
from maieutic.reading.minilm import shared_minilm

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
