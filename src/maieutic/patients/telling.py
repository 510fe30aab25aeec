"""Whether the patient takes a turn for advice or telling, whatever mark stands at its end: a head over its vector and
small words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maieutic.language.sentences import sentences, words
from maieutic.reading.head import Floats, Head, load

_FIRST = (
    "a",
    "and",
    "are",
    "can",
    "could",
    "did",
    "do",
    "does",
    "don't",
    "had",
    "has",
    "have",
    "how",
    "i",
    "if",
    "in",
    "is",
    "let",
    "let's",
    "may",
    "maybe",
    "might",
    "must",
    "of",
    "on",
    "perhaps",
    "shall",
    "should",
    "so",
    "suppose",
    "tell",
    "that",
    "the",
    "try",
    "was",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whose",
    "why",
    "will",
    "would",
    "you",
    "your",
)
_WITHIN = (
    "again",
    "ask",
    "better",
    "could",
    "did",
    "had",
    "happened",
    "help",
    "how",
    "instead",
    "let",
    "maybe",
    "might",
    "perhaps",
    "put",
    "tell",
    "try",
    "was",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whose",
    "would",
    "you should",
)


def telling_features(text: str, vector: NDArray[np.float32]) -> Floats:
    """What tells advice and statements from questions: the turn's vector, how its last sentence begins, and small
    words."""
    last = words(sentences(text)[-1] if sentences(text) else text)
    spaced = f" {' '.join(words(text))} "
    form = [float(bool(last) and last[0] == word) for word in _FIRST] + [float(f" {w} " in spaced) for w in _WITHIN]
    return np.concatenate([vector, form, [float("?" in text), len(last) / 20.0]]).astype(np.float64)


TELLS = "tells"


def packaged_telling() -> Head:
    """The head in the package; its one label is `TELLS`."""
    return load("patients/weights/telling.npz", "telling")
