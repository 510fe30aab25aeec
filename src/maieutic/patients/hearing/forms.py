"""What kind of answer a turn asks for: a head over the vector and the words of its question, of the turn, and of what was said before."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.domain.question_form import QuestionForm
from maieutic.patients.hearing.question import Heard
from maieutic.protocols import Embedder
from maieutic.reading.bag import bag, places
from maieutic.reading.head import Floats, Head, load

NOTHING: Final = "nothing"
"""Label of a turn that asks nothing."""
LABELS: Final = (*(form.value for form in QuestionForm), NOTHING)


def features(heard: Heard, embed: Embedder, vocabulary: tuple[str, ...]) -> Floats:
    """What the head sees of a turn. (3 d + words,)"""
    question, turn, within = embed([heard.question, heard.turn, heard.within])
    parts = [question, 0.5 * turn, 0.5 * within, bag(heard.question, places(vocabulary))]
    return np.concatenate(parts).astype(np.float64)


@lru_cache(maxsize=1)
def packaged_forms() -> Head:
    """The head in the package."""
    return load("patients/weights/hearing.npz", "forms")
