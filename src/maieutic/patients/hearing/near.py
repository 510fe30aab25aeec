"""Which fact a turn asks for, and which it comes near: lying next to what is asked for, or next to what was just told.

A fact comes up because the talk came near it, not only because somebody asked for it by name. Two logistic curves over
what the ranker found, fitted by `recipes/fit_hearing.py` on own-written turns of which somebody said what each asks for
or comes near.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from maieutic.domain.question_form import QuestionForm
from maieutic.patients.hearing.forms import LABELS
from maieutic.patients.hearing.ranker import FEATURES, Index, Told
from maieutic.reading.head import Floats, Head, load

NEAR: Final = "near"
ASKED: Final = "asked"
FAR: Final = "far"
_OF_THE_TURN = (
    "question to asks, best",
    "turn to wordings",
    "words of the turn, wordings",
    "learned, asks",
    "learned, wording",
)
_GENERAL = (
    QuestionForm.AGAINST,
    QuestionForm.ELSE,
    QuestionForm.SUPPORT,
    QuestionForm.TALK,
    QuestionForm.GOAL,
    QuestionForm.PLAN,
)
_TINY = 1e-3


def features(index: Index, told: Told, form: Floats, table: Floats, chances: Floats) -> Floats:
    """What the curves see of each fact, (facts, features).

    Args:
        index: The items of the situation.
        told: What has been told so far.
        form: (labels,) chances of the forms of the turn.
        table: (items, features) of `Index.features`.
        chances: (items + 1,) of the ranker.
    """
    of = {item.id: float(chance) for item, chance in zip(index.items, chances[:-1], strict=True)}
    last = told.ids[-1] if told.ids else ""
    general = float(sum(form[LABELS.index(one.value)] for one in _GENERAL))
    facts = [at for at, item in enumerate(index.items) if item.fact]
    every = np.array([of[index.items[at].id] for at in facts])
    columns = [FEATURES.index(name) for name in _OF_THE_TURN]
    found = []
    for at in facts:
        item = index.items[at]
        beside = [of[name] for name in item.links]
        own, most, mass, next_to_last = (
            of[item.id],
            max(beside, default=0.0),
            sum(beside),
            float(last in item.links),
        )
        found.append(
            [
                np.log(own + _TINY),
                np.log(most + _TINY),
                np.log(mass + _TINY),
                own + mass,
                own - float(every.max()),
                next_to_last,
                float(last == item.id),
                next_to_last * float(chances[-1]),
                float(chances[-1]),
                general,
                float(form[-1]),
                *table[at, columns],
            ]
        )
    return np.array(found)


@lru_cache(maxsize=1)
def packaged_near() -> Head:
    """The curve of what a turn comes near, in the package."""
    return load("patients/weights/hearing.npz", NEAR)


@lru_cache(maxsize=1)
def packaged_asked() -> Head:
    """The curve of what a turn asks for, in the package."""
    return load("patients/weights/hearing.npz", ASKED)
