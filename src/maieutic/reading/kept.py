"""Vectors of texts that come back in every run, kept on disk: a patient's memory is encoded once on a machine."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from maieutic.reading.encoder import sentence_pin

Vectors = NDArray[np.float32]

FOLDER = Path(".cache") / "maieutic" / "vectors"
"""Below the user's home."""


def kept_vectors(maker: str, texts: Sequence[str], make: Callable[[Sequence[str]], Vectors]) -> Vectors:
    """The vectors of texts as `make` gives them, from the user's cache where they are there.

    Args:
        maker: Names what makes them, with the hash of its weights: another maker's vectors are other files.
        texts: In order.
        make: (n,) → (n, d) float32.
    """
    name = sha256("\0".join((maker, sentence_pin(), *texts)).encode()).hexdigest()[:32]
    try:
        path = Path.home() / FOLDER / f"{name}.npy"
        if path.is_file():
            found: Vectors = np.load(path, allow_pickle=False)
            if len(found) == len(texts):
                return found
    except (OSError, RuntimeError, ValueError):
        return make(texts)
    made = make(texts)
    _write(path, made)
    return made


def _write(path: Path, vectors: Vectors) -> None:
    """Another process may be at it as well: each writes its own file, and the last to end gives it the name."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, written = tempfile.mkstemp(suffix=".npy", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            np.save(file, vectors)
        Path(written).replace(path)
    except OSError:
        return  # a cache that cannot be written costs time and nothing else
