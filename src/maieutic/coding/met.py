"""Whether a request is of a kind that the reader of appropriateness was fitted on, or had better be called unsure."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.coding.head_plan import PACKAGED
from maieutic.reading.head import arrays_in
from maieutic.reading.minilm import shared_minilm

FILE: Final = PACKAGED / "appropriateness_met.npz"
"""`recipes/appropriateness_met.py` makes it: vectors of the requests that the reader was fitted on, and the likeness to
the nearest of them from which a request counts as met."""


@lru_cache(maxsize=8_000)
def is_met(request: str) -> bool:
    """Whether some request that the reader was fitted on is at least as like this one as those left out were."""
    requests, least = _known()
    return bool((requests @ shared_minilm()([request])[0]).max() >= least)


@lru_cache(maxsize=1)
def _known() -> tuple[NDArray[np.float32], float]:
    kept = arrays_in(FILE)
    steps = kept["requests"].astype(np.float32)
    return steps / np.linalg.norm(steps, axis=1, keepdims=True), float(kept["least"])
