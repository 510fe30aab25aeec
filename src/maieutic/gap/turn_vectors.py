"""What a therapist turn does, as a vector: the state of the encoder that learned behaviour codes, which hears the act
above the topic."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.coding.encoder import packaged_encoder
from maieutic.coding.features import Said
from maieutic.reading.head import Floats

ENCODER: Final = "coder_encoder"


@lru_cache(maxsize=20_000)
def turn_vector(text: str) -> Floats:
    """Unit vector of a turn or a part of one, heard without the talk before it, (384,).

    Raises:
        ModelUnavailable: weights or tokenizer of the encoder are missing or not the pinned ones.
    """
    state = packaged_encoder()([Said(text)]).pooled[0].astype(np.float64)
    return np.asarray(state / np.linalg.norm(state))
