"""Alliance from text with a stand-in for sentence vectors, whose cosines are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from coded_talk import talk
from numpy.typing import NDArray

from maieutic.measures import between as alliance
from maieutic.measures.definition import NO_EMBEDDER


class Stand:
    """Statements of goal, task and bond lie on three axes; a turn lies where its first word says."""

    name = "stand-in"

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        axis = {text: at for at, name in enumerate(alliance.DIMENSIONS) for text in alliance.ITEMS[name]}
        names = list(alliance.DIMENSIONS)
        places = [axis[text] if text in axis else names.index(text.split()[0].lower()) for text in texts]  # type: ignore[arg-type]
        return np.eye(3, dtype=np.float32)[places]


CODED = talk(
    ("T", None, "Goal is what we want."), ("C", None, "Bond is what we have."), ("T", None, "Bond yes."),
    ("T", None, "Bond matters to me too."), ("C", None, "Bond is here at last."),
)  # fmt: skip


def test_each_dimension_has_four_own_statements() -> None:
    assert [len(alliance.ITEMS[name]) for name in alliance.DIMENSIONS] == [4, 4, 4]


def test_views_and_gaps_by_hand() -> None:
    coded = replace(CODED, embedder=Stand())
    goal = alliance.VIEWS["therapist", "goal"](coded)
    assert (goal.measure, goal.value, goal.evidence) == ("therapist_goal_alliance", pytest.approx(0.5), (10, 13))
    assert alliance.VIEWS["client", "bond"](coded).value == pytest.approx(1)
    assert alliance.GAPS["goal"](coded).value == pytest.approx(0.5)
    assert alliance.GAPS["bond"](coded).value == pytest.approx(-0.5)


def test_missing_with_a_reason() -> None:
    assert alliance.GAPS["task"](CODED).reason == NO_EMBEDDER
    short = replace(talk(("T", None, "Goal is what we want."), ("C", None, "Yes.")), embedder=Stand())
    assert alliance.VIEWS["client", "goal"](short).reason == "no client turn of 4 words or more"
    assert alliance.GAPS["goal"](short).reason == "no client turn of 4 words or more"
