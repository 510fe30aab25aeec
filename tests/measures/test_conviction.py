"""Conviction against the start and against what the facts warrant, on episodes made by hand."""

from __future__ import annotations

import pytest

from episodes import make_episode, make_states, without_session
from maieutic.measures.hidden_state import (
    conviction_change,
    core_belief_change,
    harm_below_warranted,
    stated_conviction_change,
    warranted_distance,
)


def test_conviction_change_is_the_fall_with_the_turns_that_moved_it_most() -> None:
    states = make_states({"held": 80}, {"held": 79}, {"held": 70}, {"held": 72}, {"held": 72}, {"held": 60})
    score = conviction_change(make_episode(5, states=states))
    assert (score.value, score.unit, score.reason) == (20.0, "points", None)
    assert score.evidence == (3, 5, 9)  # therapist turns 2, 3 and 5: moves of 9, 2 and 12 points


def test_a_rise_is_negative_and_no_move_is_no_evidence() -> None:
    assert conviction_change(make_episode(1, states=make_states({"held": 80}, {"held": 85.5}))).value == -5.5
    still = conviction_change(make_episode(2))
    assert (still.value, still.evidence) == (0.0, ())


def test_conviction_change_without_a_session_has_a_value_and_no_turns_to_show() -> None:
    score = conviction_change(without_session(make_states({"held": 80}, {"held": 79}, {"held": 78})))
    assert (score.value, score.evidence) == (2.0, ())


def test_stated_and_core_are_read_apart_from_held() -> None:
    states = make_states({"held": 80, "stated": 80, "core": 75}, {"held": 79, "stated": 60, "core": 74})
    episode = make_episode(1, states=states)
    assert conviction_change(episode).value == 1.0
    assert stated_conviction_change(episode).value == 20.0
    assert core_belief_change(episode).value == 1.0
    assert core_belief_change(episode).evidence == (1,)


@pytest.mark.parametrize(("end", "distance", "harm"), [(50, 15.0, 0.0), (35, 0.0, 0.0), (25, 10.0, 10.0)])
def test_distance_and_harm_at_a_warranted_conviction_of_35(end: float, distance: float, harm: float) -> None:
    episode = make_episode(2, states=make_states({"held": 80}, {"held": 40}, {"held": end}))
    assert warranted_distance(episode).value == distance
    assert harm_below_warranted(episode).value == harm
    assert harm_below_warranted(episode).evidence == ((3,) if harm else ())


def test_a_warranted_conviction_of_zero_is_a_value() -> None:
    episode = make_episode(1, states=make_states({"held": 80}, {"held": 30}), provenance={"warranted": 0})
    assert warranted_distance(episode).value == 30.0
    assert harm_below_warranted(episode).value == 0.0


@pytest.mark.parametrize(
    "provenance", [{}, {"warranted": None}, {"warranted": "35"}, {"warranted": 120}, {"warranted": True}]
)
@pytest.mark.parametrize("measure", [warranted_distance, harm_below_warranted], ids=lambda m: m.id)
def test_no_usable_warranted_conviction_is_missing(measure, provenance) -> None:  # type: ignore[no-untyped-def]
    score = measure(make_episode(1, provenance=provenance))
    assert score.value is None
    assert "warrant" in score.reason
