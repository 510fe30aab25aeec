"""The learned half of reaching: three layers on the shared body, fine-tuned to lay a turn beside the fact it asks for.

Training is `recipes/train_reach_encoder.py`. Runtime, tokenizer and weights are loaded at the first text, not at import.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.domain.case import Evidence
from maieutic.reading import encoder as reading

Vectors = NDArray[np.float32]
Floats = NDArray[np.float64]

WEIGHTS: Final = Path(__file__).parent / "weights" / "reach_encoder.onnx"
LONGEST: Final = 96
"""Tokens, as in training."""
KEPT: Final = 20_000
"""Vectors kept, 1.5 kB each: facts and banks of questions come back in every session."""
SOFTNESS: Final = 0.05
"""How far the second best wording counts beside the best."""


@dataclass(frozen=True, slots=True)
class Paired:
    """What a fact is laid beside a turn by: its example questions, its wordings, and itself with its topics."""

    asks: Vectors
    said: Vectors
    fact: Vectors


@dataclass(frozen=True, slots=True)
class Pairing:
    """The encoder and the few numbers that weigh its likenesses.

    Attributes:
        vector: The unit vector of a text, (384,); it keeps the newest.
        weights: Of likeness to questions, wordings and fact.
        nothing, edge: The direction in which turns lie that ask for no fact, and its offset.
    """

    vector: Callable[[str], Vectors]
    weights: Floats
    nothing: Floats
    edge: float

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of texts."""
        return np.array([self.vector(text) for text in texts], dtype=np.float32)

    def index(self, evidence: Evidence) -> Paired:
        whole = f"{evidence.fact} {', '.join(evidence.topics)}"
        return Paired(self.encode(list(evidence.asks)), self.encode(list(evidence.said)), self.encode([whole]))

    def likeness(self, turn: Vectors, facts: Sequence[Paired]) -> Floats:
        """(facts, 5): to questions, wordings and fact; the log odds against no fact; the probability among all and none."""
        near = np.array([[_soft(f.asks @ turn), _soft(f.said @ turn), float(f.fact[0] @ turn)] for f in facts])
        odds = near @ self.weights - (float(self.nothing @ turn) + self.edge)
        raised = np.exp(odds - max(0.0, float(odds.max())))
        chance = raised / (raised.sum() + np.exp(-max(0.0, float(odds.max()))))
        return np.column_stack([near, odds, chance])


def _soft(values: Vectors) -> float:
    best = float(values.max())
    return best + SOFTNESS * float(np.log(np.exp((values - best) / SOFTNESS).sum()))


@lru_cache(maxsize=1)
def packaged_pairing() -> Pairing:
    """The one that the package carries.

    Raises:
        UnreadableFile: a file is missing from the installation or is not the one the head was fitted with.
    """
    network = reading.load(WEIGHTS)
    vector, facts = reading.text_vector(network, LONGEST, KEPT), network.facts
    return Pairing(vector, np.array(facts["weights"]), np.array(facts["nothing"]), float(facts["edge"]))
