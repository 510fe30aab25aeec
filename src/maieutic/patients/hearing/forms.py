"""What kind of answer a turn asks for: a head over the vector and the words of its question, of the turn, and of what
was said before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.domain.question_form import QuestionForm
from maieutic.patients.hearing.question import Heard
from maieutic.protocols import Embedder
from maieutic.reading.bag import bag, places
from maieutic.reading.head import Floats, Head, load, stored_arrays
from maieutic.reading.network import unpacked_network

NOTHING: Final = "nothing"
"""Label of a turn that asks nothing."""
LABELS: Final = (*(form.value for form in QuestionForm), NOTHING)


def features(heard: Heard, embed: Embedder, vocabulary: tuple[str, ...]) -> Floats:
    """What the head sees of a turn. (3 d + words,)"""
    question, turn, within = embed([heard.question, heard.turn, heard.within])
    parts = [question, 0.5 * turn, 0.5 * within, bag(heard.question, places(vocabulary))]
    return np.concatenate(parts).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Blend:
    """How two readings of the form count: exponents of the head's chances and of the fine-tuned encoder's, (2,)."""

    shares: Floats

    def __call__(self, head: Floats, learned: Floats) -> Floats:
        """Chances from the log chances of both (a product of experts, Hinton 2002)."""
        scores = self.shares[0] * head + self.shares[1] * learned
        raised = np.exp(scores - scores.max())
        return np.asarray(raised / raised.sum())


@lru_cache(maxsize=1)
def packaged_blend() -> Blend:
    """The one in the package."""
    return unpacked_network(Blend, stored_arrays("patients/weights/hearing.npz"), "blend")


@lru_cache(maxsize=1)
def packaged_forms() -> Head:
    """The head in the package."""
    return load("patients/weights/hearing.npz", "forms")
