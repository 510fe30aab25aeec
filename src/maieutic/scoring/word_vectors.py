"""Static word vectors for word mover's distance: the token table of the packaged MiniLM, read without running the
model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maieutic.reading.encoder import tokenizer
from maieutic.reading.published import WORDS, numbers

_LONGEST_CACHED = 50_000
_vectors: dict[str, NDArray[np.float32]] = {}


def word_vectors(words: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors of words, (n,) → (n, 384): the mean of a word's pieces less the mean of the table, scaled to length
    1.

    Raises:
        ModelUnavailable: the weights of MiniLM are missing or not the pinned ones.
    """
    if len(_vectors) > _LONGEST_CACHED:
        _vectors.clear()
    for word in words:
        if word not in _vectors:
            _vectors[word] = _vector(word)
    return np.array([_vectors[word] for word in words], dtype=np.float32).reshape(len(words), -1)


def _vector(word: str) -> NDArray[np.float32]:
    codes, scales, centre = _table()
    pieces = tokenizer().encode(word, add_special_tokens=False).ids or [0]
    vector = (codes[pieces].astype(np.float32) * scales[pieces]).mean(axis=0) - centre
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), dtype=np.float32)


@cache
def _table() -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
    """The table as it is stored: whole numbers, a scale for each row, and the mean of all rows."""
    codes, scales = numbers()[f"{WORDS}_q"], numbers()[f"{WORDS}_scale"]
    centre = (codes.T.astype(np.float32) @ scales[:, 0]) / len(codes)
    return codes, scales, np.asarray(centre, dtype=np.float32)
