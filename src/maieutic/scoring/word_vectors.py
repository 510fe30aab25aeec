"""Static word vectors for word mover's distance: the token table of the packaged MiniLM, read without running the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from maieutic.reading.encoder import tokenizer
from maieutic.reading.minilm import weights

_TABLE = "embeddings.word_embeddings.weight"
_LONGEST_CACHED = 50_000
_vectors: dict[str, NDArray[np.float32]] = {}


def word_vectors(words: Sequence[str]) -> NDArray[np.float32]:
    """Unit vectors of words, (n,) → (n, 384): the mean of a word's pieces less the mean of the table, scaled to length 1.

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
    stored = _tensors(memoryview(weights()))
    codes = np.frombuffer(stored[f"{_TABLE}_q"], dtype=np.int8).reshape(-1, 384)
    scales = np.frombuffer(stored[f"{_TABLE}_scale"], dtype=np.float32).reshape(-1, 1)
    centre = (codes.T.astype(np.float32) @ scales[:, 0]) / len(codes)
    return codes, scales, np.asarray(centre, dtype=np.float32)


def _tensors(model: memoryview) -> dict[str, bytes]:
    """The stored numbers of an ONNX model by name, those of the token table only."""
    found: dict[str, bytes] = {}
    for graph in (value for field, value in _fields(model) if field == 7):
        for tensor in (value for field, value in _fields(graph) if field == 5):
            parts = dict(_fields(tensor))
            name = bytes(parts[8]).decode()
            if _TABLE in name:
                found[name[name.index(_TABLE) :]] = bytes(parts[9])
    return found


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Field number and content of each length-delimited field of a protocol-buffer message."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 2:
            size, at = _varint(message, at)
            yield key >> 3, message[at : at + size]
            at += size
        elif kind == 0:
            _, at = _varint(message, at)
        else:
            at += 8 if kind == 1 else 4


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
