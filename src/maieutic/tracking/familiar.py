"""Are the words of a patient turn unlike all that the tracker was fitted on?

Heads over sentence vectors answer whatever they are asked. Whoever reads what they say should know where they were
never tried.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.tracking.space import Floats

NEAREST: Final = 3
"""Centres whose mean similarity is taken."""


@dataclass(frozen=True, slots=True)
class Familiar:
    """What development patients say, as the centres of their lines.

    Attributes:
        centres: (n, 384) unit vectors.
        near: Nearness below which words are strange, −1 to 1.
    """

    centres: Floats
    near: float

    def nearness(self, vectors: Floats) -> Floats:
        """Mean cosine of sentence vectors to their nearest centres, −1 to 1: (384,) → (), (n, 384) → (n,)."""
        cosines = vectors @ self.centres.T
        return np.asarray(np.partition(cosines, -NEAREST, axis=-1)[..., -NEAREST:].mean(axis=-1))

    def strange(self, vector: Floats) -> bool:
        """Whether a turn with this sentence vector, (384,), is unlike all of them."""
        return bool(self.nearness(vector) < self.near)


def packed_centres(centres: Floats) -> NDArray[np.int8]:
    """The centres as whole numbers, a byte each; the largest of all is 127 or −127."""
    return np.asarray(np.round(127.0 * centres / np.abs(centres).max()), dtype=np.int8)


def unpacked_centres(stored: NDArray[np.int8]) -> Floats:
    """Unit vectors of what `packed_centres` made."""
    wide = stored.astype(np.float64)
    return np.asarray(wide / np.linalg.norm(wide, axis=1, keepdims=True))
