"""How near in meaning texts are to one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from maieutic.reading.minilm import shared_minilm
from maieutic.tracking.space import Floats


def nearness(texts: Sequence[str], others: Sequence[str]) -> Floats:
    """(n, m) cosines of texts with other texts."""
    encode = shared_minilm()
    return np.asarray(encode(texts) @ encode(others).T, dtype=np.float64)
