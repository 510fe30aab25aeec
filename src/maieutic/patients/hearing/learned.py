"""The learned half of hearing: layers on the shared body, fine-tuned to lay a turn in its dialogue beside what it asks
about.

Only the turn goes through them; the memory keeps the vectors of the shared encoder, turned by one matrix for questions,
one for wordings and one for names (two towers, as in dense retrieval: Karpukhin et al. 2020). Training is
`recipes/train_hearing_encoder.py`. Runtime, tokenizer and weights are loaded at the first text, not at import.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maieutic.patients.ear import Heard
from maieutic.reading import encoder as reading
from maieutic.reading.head import Floats, load_network

Vectors = NDArray[np.float32]

WEIGHTS: Final = Path(__file__).parents[1] / "weights" / "hearing_encoder.onnx"
LONGEST: Final = 96
"""Tokens, as in training."""
KEPT: Final = 4_000
"""Vectors of turns kept, 1.5 kB each."""
SOFTNESS: Final = 0.05
"""How far the second best question counts beside the best, as in training."""
SHARPNESS: Final = 8.0
"""Factor on the scores of the forms, as in training."""


@dataclass(frozen=True, slots=True, eq=False)
class Turning:
    """The numbers that weigh what the encoder finds.

    Attributes:
        asks, said, names: (384, 384), what turns the memory's vectors of questions, wordings and names towards turns.
        weights: (3,) of likeness to questions, wordings and name.
        nothing, edge: (384,) the direction in which turns lie that ask for nothing of this life, and its offset, (1,).
        forms, forms_edge: (labels, 384) directions of the forms of a question, and their offsets, (labels,).
    """

    asks: Floats
    said: Floats
    names: Floats
    weights: Floats
    nothing: Floats
    edge: Floats
    forms: Floats
    forms_edge: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The encoder of turns with the numbers that weigh what it finds; `vector` gives a text's unit vector, (384,)."""

    vector: Callable[[str], Vectors]
    turning: Turning

    def form(self, heard: Heard) -> Floats:
        """Log chance of every label of `asked.FORMS`."""
        scores = SHARPNESS * (self.turning.forms @ self.vector(heard.whole) + self.turning.forms_edge)
        scores = scores - scores.max()
        return np.asarray(scores - np.log(np.exp(scores).sum()))

    def odds(self, heard: Heard, near: Floats) -> Floats:
        """(items,) log odds of each item against nothing; `near` is (items, 3), likeness to questions, wording and
        name."""
        turn = self.vector(heard.whole)
        return np.asarray(
            near @ self.turning.weights - float(self.turning.nothing @ turn) - float(self.turning.edge[0])
        )


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """The turned vectors of one kind of text of all items, and whose each is."""

    vectors: Floats
    owner: NDArray[np.int64]
    count: int

    def near(self, turn: Vectors) -> Floats:
        """Softened greatest likeness of each item, (items,)."""
        raised = np.exp((self.vectors @ turn - 1.0) / SOFTNESS)
        total = np.bincount(self.owner, weights=raised, minlength=self.count)
        return np.asarray(1.0 + SOFTNESS * np.log(total + 1e-12))


@cache
def packaged_learned() -> Learned:
    """The one that the package carries.

    Raises:
        UnreadableFile: a file is missing from the installation or is not the one the heads were fitted with.
    """
    vector = reading.text_vector(reading.load(WEIGHTS), LONGEST, KEPT)
    return Learned(vector, load_network(Turning, "patients/weights/hearing_turning.npz", "turning"))
