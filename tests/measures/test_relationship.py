"""Alliance, resistance, relief, flips and leaving, on episodes made by hand."""

from __future__ import annotations

import pytest

from episodes import AGAINST, make_episode, make_states, voiced, without_session
from maieutic.domain.state import Act
from maieutic.measures.hidden_state import (
    alliance_change,
    alliance_end,
    distress_change,
    flips,
    left_early,
    openness_change,
    reactance_mean,
    reactance_peak,
)


def test_alliance_is_the_mean_of_its_three_parts() -> None:
    states = make_states({}, {"bond": 0.7}, {"goal": 0.5, "task": 0.6})
    episode = make_episode(2, states=states)
    assert alliance_end(episode).value == pytest.approx(0.6)
    assert alliance_change(episode).value == pytest.approx(0.2)
    assert alliance_change(episode).evidence == (1, 3)


def test_reactance_leaves_the_start_out() -> None:
    states = make_states(
        {"reactance": 0.9}, {"reactance": 0.2}, {"reactance": 0.6}, {"reactance": 0.6}, {"reactance": 0.2}
    )
    episode = make_episode(4, states=states)
    assert (reactance_peak(episode).value, reactance_peak(episode).evidence) == (0.6, (3,))
    assert reactance_mean(episode).value == pytest.approx(0.4)


def test_reactance_needs_a_state_after_the_start() -> None:
    only_start = without_session(make_states({}))
    assert reactance_peak(only_start).value is None
    assert reactance_mean(only_start).reason == "the patient's state is recorded for the start only"


def test_openness_and_relief() -> None:
    episode = make_episode(1, states=make_states({"openness": 0.4, "distress": 70}, {"openness": 0.3, "distress": 61}))
    assert openness_change(episode).value == pytest.approx(-0.1)
    assert distress_change(episode).value == 9.0
    assert distress_change(episode).evidence == (1,)


def _flips(*changes: dict[str, object]) -> tuple[float | None, tuple[int, ...]]:
    score = flips(make_episode(len(changes) - 1, states=make_states(*changes)))
    return score.value, score.evidence


RESIST, AGREE, DETAIL = {"act": Act.RESIST}, {"act": Act.AGREE}, {"act": Act.DETAIL}


@pytest.mark.parametrize("act", [Act.AGREE, Act.WARMED, Act.CONCEDE, Act.INSIGHT])
def test_resistant_to_compliant_in_fewer_than_four_turns_is_a_flip(act: Act) -> None:
    assert _flips({}, RESIST, DETAIL, DETAIL, {"act": act}) == (1.0, (2, 8))
    assert _flips({}, RESIST, DETAIL, DETAIL, DETAIL, {"act": act}) == (0.0, ())


def test_high_reactance_is_resistance_but_agreeing_under_it_is_not_a_flip_of_its_own() -> None:
    assert _flips({}, {"reactance": 0.5, **DETAIL}, {"reactance": 0.1, **AGREE}) == (1.0, (2, 4))
    assert _flips({}, {"reactance": 0.9, **AGREE}, AGREE, AGREE) == (0.0, ())


def test_each_resistance_counts_once() -> None:
    assert _flips({}, RESIST, AGREE, AGREE)[0] == 1.0
    assert _flips({}, RESIST, AGREE, RESIST, AGREE)[0] == 2.0


def test_a_fact_against_the_thought_voiced_in_between_is_a_reason() -> None:
    fact, other = {"voiced": (voiced(AGAINST[0], 2),)}, {"voiced": (voiced("speaks-for-it", 2),)}
    assert _flips({}, RESIST, DETAIL | fact, AGREE)[0] == 0.0
    assert _flips({}, RESIST, AGREE | fact)[0] == 0.0
    assert _flips({}, RESIST, DETAIL | other, AGREE)[0] == 1.0
    before = {"voiced": (voiced(AGAINST[0], 1),)}
    assert _flips({}, RESIST | before, AGREE)[0] == 1.0


def test_a_fact_from_an_earlier_session_is_no_reason() -> None:
    carried = {"voiced": (voiced(AGAINST[0], 2),)}
    assert _flips(carried, RESIST, AGREE)[0] == 1.0


def test_leaving_is_one_and_staying_is_zero() -> None:
    assert (left_early(make_episode(2, ending="patient_left")).value) == 1.0
    assert left_early(make_episode(2, ending="patient_left")).evidence == (4,)
    assert (left_early(make_episode(2)).value, left_early(make_episode(2)).evidence) == (0.0, ())


def test_leaving_cannot_be_had_without_a_mind_or_a_session() -> None:
    assert left_early(make_episode(2, states=())).value is None
    assert left_early(without_session(make_states({}, {}))).value is None


@pytest.mark.parametrize(
    "measure", [alliance_change, reactance_peak, openness_change, distress_change], ids=lambda m: m.id
)
def test_the_arm_without_a_session_has_a_value(measure) -> None:  # type: ignore[no-untyped-def]
    score = measure(without_session(make_states({}, {}, {})))
    assert score.value is not None
    assert score.evidence == ()
