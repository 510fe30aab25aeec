"""Likeness of a reply's sentences and words to what an item is about, and small logistic heads that weigh it with form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.language.sentences import content_words, sentences
from maieutic.models.embedding import shared_minilm

Floats = NDArray[np.float64]

_CLAUSE: Final = re.compile(r"[;:–—]\s+|,\s+(?=(?:and|but|so|or|then|if|when|as|like|not)\b)|\s+-\s+", re.I)
_YOURS: Final = (
    (re.compile(r"\b(?:i am|i'm)\b", re.I), "you're"),
    (re.compile(r"\b(?:i was)\b", re.I), "you were"),
    (re.compile(r"\b(?:i've)\b", re.I), "you've"),
    (re.compile(r"\b(?:i'd)\b", re.I), "you'd"),
    (re.compile(r"\b(?:i|me)\b", re.I), "you"),
    (re.compile(r"\bmy\b", re.I), "your"),
    (re.compile(r"\bmine\b", re.I), "yours"),
    (re.compile(r"\bmyself\b", re.I), "yourself"),
    (re.compile(r"\bthe client (?:is|has)\b", re.I), "you have been"),
    (re.compile(r"\bthe client was\b", re.I), "you were"),
    (re.compile(r"\bthe client's\b", re.I), "your"),
    (re.compile(r"\bthe client\b", re.I), "you"),
)


@dataclass(frozen=True, slots=True)
class Head:
    """A multinomial logistic head over named numbers of a reply.

    Attributes:
        weights: (classes, features). bias: (classes,).
        centre, scale: of the features, (features,): a feature counts as its distance from the centre in scales.
    """

    weights: Floats
    bias: Floats
    centre: Floats
    scale: Floats

    def __call__(self, features: Floats) -> Floats:
        """Probability of every class. (classes,)"""
        score = self.weights @ ((features - self.centre) / self.scale) + self.bias
        weight = np.exp(score - score.max())
        return np.asarray(weight / weight.sum())


@lru_cache(maxsize=8)
def packaged_head(name: str) -> Head:
    """One of the heads fitted by `recipes/fit_mind_tracking_and_push_support.py`."""
    with as_file(files("maieutic.gap") / "weights" / "reply_readers.npz") as path, np.load(path) as stored:
        kept = (stored[f"{name}_{part}"].astype(np.float64) for part in ("weights", "bias", "centre", "scale"))
        return Head(*kept)


def vectors(texts: Sequence[str]) -> Floats:
    """Unit vectors, (n, 384); of no text, (0, 384)."""
    return shared_minilm()(texts).astype(np.float64)


def to_you(text: str) -> str:
    """What the patient said of himself or herself, as said to the patient."""
    for pattern, instead in _YOURS:
        text = pattern.sub(instead, text)
    return text


def is_asked(sentence: str) -> bool:
    """The sentence ends in a question mark."""
    return sentence.rstrip("\"'”’) ").endswith("?")


@lru_cache(maxsize=5_000)
def pieces(text: str) -> tuple[str, ...]:
    """The sentences of a text, and the clauses of those that have several, of two words and more."""
    found = []
    for sentence in sentences(text):
        found.append(sentence)
        parts = [part.strip() for part in _CLAUSE.split(sentence)]
        if len(parts) > 1:
            found.extend(part for part in parts if len(part.split()) > 2)
    return tuple(found)


def bare(sentence: str, known: AbstractSet[str]) -> str:
    """The sentence with "it" for every known word of matter: its form without its subject."""
    return re.sub(r"[A-Za-z][\w'’-]*", lambda m: "it" if content_words(m[0]) & known else m[0], sentence)


def form_of(reply: str, known: AbstractSet[str]) -> Floats:
    """Vectors of a reply without its subject: the mean of its sentences, and its last question or sentence. (768,)"""
    spoken = [bare(s, known) for s in sentences(reply)]
    last = ([s for s in spoken if is_asked(s)] or spoken)[-1:]
    return np.concatenate([vectors(spoken).mean(axis=0), vectors(last)[0]])


def likeness(left: Floats, right: Floats) -> Floats:
    """Cosines, (n, m); with nothing on one side, a single row or column of zeros in its place."""
    if not len(left) or not len(right):
        return np.zeros((max(1, len(left)), max(1, len(right))))
    return np.asarray(left @ right.T)


__all__ = [
    "Floats", "Head", "bare", "form_of", "is_asked", "likeness", "packaged_head", "pieces", "to_you", "vectors",
]  # fmt: skip
