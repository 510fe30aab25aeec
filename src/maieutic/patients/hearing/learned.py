"""The learned half of hearing: layers on the shared body, fine-tuned to lay a turn in its dialogue beside what it asks about.

Training is `recipes/train_hearing_encoder.py`. Runtime, tokenizer and weights are loaded at the first text, not at import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maieutic.patients.hearing.items import Item
from maieutic.patients.hearing.question import Heard
from maieutic.reading import encoder as reading
from maieutic.reading.head import Floats
from maieutic.reading.kept import kept_vectors

Vectors = NDArray[np.float32]

WEIGHTS: Final = Path(__file__).parents[1] / "weights" / "hearing_encoder.onnx"
LONGEST: Final = 96
"""Tokens, as in training."""
KEPT: Final = 30_000
"""Vectors kept, 1.5 kB each: what a patient can be asked comes back in every session."""
SOFTNESS: Final = 0.05
"""How far the second best question counts beside the best."""
SHARPNESS: Final = 8.0
"""Factor on the scores of the forms, as in training."""


@dataclass(frozen=True, slots=True)
class Laid:
    """What a turn is laid beside: the example questions of an item, its first wording, and its name."""

    asks: Vectors
    said: Vectors
    name: Vectors

    def without(self, place: int) -> Laid:
        """The same without one example question."""
        return Laid(np.delete(self.asks, place, axis=0), self.said, self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The encoder and the few numbers that weigh what it finds.

    Attributes:
        name: Names the weights, for vectors kept on disk.
        vector: The unit vector of a text, (384,); it keeps the newest.
        weights: Of likeness to questions, wording and name, (3,).
        nothing, edge: The direction in which turns lie that ask for nothing of this life, and its offset.
        forms, forms_edge: Directions of the forms of a question, (labels, 384), and their offsets.
    """

    name: str
    vector: Callable[[str], Vectors]
    weights: Floats
    nothing: Floats
    edge: float
    forms: Floats
    forms_edge: Floats

    @classmethod
    def of(cls, name: str, vector: Callable[[str], Vectors], facts: Mapping[str, Any]) -> Learned:
        """With the numbers that training noted."""
        return cls(
            name, vector, np.array(facts["weights"]), np.array(facts["nothing"]), float(facts["edge"]),
            np.array(facts["forms"]), np.array(facts["forms_edge"]),
        )  # fmt: skip

    def lay(self, items: Sequence[Item]) -> tuple[Laid, ...]:
        """The vectors of items, kept on disk."""
        texts = [text for item in items for text in (*item.asks, item.said[0], item.name)]
        vectors, at, laid = kept_vectors(self.name, texts, self._encode), 0, []
        for item in items:
            end = at + len(item.asks)
            laid.append(Laid(vectors[at:end], vectors[end], vectors[end + 1]))
            at = end + 2
        return tuple(laid)

    def _encode(self, texts: Sequence[str]) -> Vectors:
        return np.array([self.vector(text) for text in texts], dtype=np.float32)

    def likeness(self, heard: Heard, laid: Sequence[Laid]) -> Floats:
        """(items, 4) of a turn: to questions, wording and name, and all of it against nothing."""
        turn = self.vector(heard.whole)
        near = np.array([[_soft(one.asks @ turn), float(one.said @ turn), float(one.name @ turn)] for one in laid])
        return np.column_stack([near, near @ self.weights - (float(self.nothing @ turn) + self.edge)])

    def form(self, heard: Heard) -> Floats:
        """Log chance of every label of `forms.LABELS`."""
        scores = SHARPNESS * (self.forms @ self.vector(heard.whole) + self.forms_edge)
        scores = scores - scores.max()
        return np.asarray(scores - np.log(np.exp(scores).sum()))


def _soft(values: Vectors) -> float:
    if not len(values):
        return -1.0
    best = float(values.max())
    return best + SOFTNESS * float(np.log(np.exp((values - best) / SOFTNESS).sum()))


@lru_cache(maxsize=1)
def packaged_learned() -> Learned:
    """The one that the package carries.

    Raises:
        UnreadableFile: a file is missing from the installation or is not the one the heads were fitted with.
    """
    network, tokens = reading.load(WEIGHTS), reading.tokenizer(LONGEST)

    @lru_cache(maxsize=KEPT)
    def vector(text: str) -> Vectors:
        found: Vectors = network(tokens.encode(text).ids)[0]
        return found

    return Learned.of(f"hearing {network.facts['sha256']}", vector, network.facts)
