"""Facts against the thought: who brought them up, how many, when, and whether they were weighed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from episodes import AGAINST, make_episode, make_state, make_states, told, voiced, without_session
from maieutic.domain.episode import Episode
from maieutic.measures.evidence import (
    evidence_by_patient,
    evidence_reached,
    evidence_weighed,
    turns_to_first_evidence,
)

FIRST, SECOND, THIRD = AGAINST


def _episode(*items, turns: int = 4) -> Episode:  # type: ignore[no-untyped-def]
    changes = [{"voiced": tuple(v for v in items if v.turn <= turn)} for turn in range(turns + 1)]
    return make_episode(turns, states=make_states(*changes))


def test_shares_with_one_fact_told_and_one_produced() -> None:
    episode = _episode(told(FIRST, 1), voiced("speaks-for-it", 2), voiced(SECOND, 3))
    assert evidence_by_patient(episode).value == 0.5
    assert evidence_by_patient(episode).evidence == (6,)  # the patient's answer to the third therapist turn
    assert evidence_reached(episode).value == pytest.approx(1 / 3)
    assert evidence_reached(episode).evidence == (6,)
    assert turns_to_first_evidence(episode).value == 3.0
    assert turns_to_first_evidence(episode).evidence == (6,)


def test_a_fact_told_first_and_then_repeated_counts_as_told_but_as_reached() -> None:
    episode = _episode(told(FIRST, 1), voiced(FIRST, 2))
    assert evidence_by_patient(episode).value == 0.0
    assert evidence_by_patient(episode).evidence == ()
    assert evidence_reached(episode).value == pytest.approx(1 / 3)


def test_a_fact_voiced_twice_counts_once() -> None:
    episode = _episode(voiced(FIRST, 1), voiced(FIRST, 3))
    assert evidence_by_patient(episode).value == 1.0
    assert evidence_reached(episode).value == pytest.approx(1 / 3)
    assert evidence_reached(episode).evidence == (2,)


def test_nothing_that_came_up_is_missing_for_the_share_and_zero_for_the_reach() -> None:
    episode = _episode(voiced("speaks-for-it", 1))
    assert evidence_by_patient(episode).value is None
    assert evidence_by_patient(episode).reason == "no fact against the thought came up"
    assert evidence_reached(episode).value == 0.0
    first = turns_to_first_evidence(episode)
    assert first.value is None
    assert first.reason == "the patient voiced no fact against the thought in 4 therapist turns"


def test_facts_from_an_earlier_session_do_not_count() -> None:
    states = [make_state(turn=n, voiced=(voiced(FIRST, 9),), weighed=(FIRST,)) for n in range(3)]
    states[2] = replace(states[2], voiced=(*states[2].voiced, voiced(SECOND, 2)), weighed=(FIRST, SECOND))
    episode = make_episode(2, states=states)
    assert evidence_reached(episode).value == pytest.approx(1 / 3)
    assert evidence_weighed(episode).value == pytest.approx(1 / 3)
    assert turns_to_first_evidence(episode).value == 2.0


def test_weighed_facts_against_over_all_facts_against() -> None:
    states = make_states({}, {"weighed": (FIRST, "speaks-for-it")}, {}, {"weighed": (FIRST, "speaks-for-it", THIRD)})
    score = evidence_weighed(make_episode(3, states=states))
    assert score.value == pytest.approx(2 / 3)
    assert score.evidence == (1, 5)


def test_the_answer_that_was_never_given_is_shown_by_the_therapist_turn() -> None:
    episode = _episode(voiced(FIRST, 2), turns=2)
    cut = replace(episode, session=replace(episode.session, turns=episode.session.turns[:-1]))
    assert evidence_reached(cut).evidence == (3,)


@pytest.mark.parametrize(
    "measure", [evidence_by_patient, evidence_reached, evidence_weighed, turns_to_first_evidence], ids=lambda m: m.id
)
@pytest.mark.parametrize(
    ("episode", "reason"),
    [
        (make_episode(2, provenance={"warranted": 30.0}), "which facts speak against"),
        (make_episode(2, provenance={"against": ()}), "which facts speak against"),
        (make_episode(2, states=()), "no recorded hidden state"),
        (without_session(make_states({}, {})), "the therapist said nothing"),
        (make_episode(2, ending="failed"), "the dialogue failed: the model gave up"),
    ],
    ids=["no-facts", "empty-facts", "no-states", "no-session", "failed"],
)
def test_missing_with_its_reason(measure, episode: Episode, reason: str) -> None:  # type: ignore[no-untyped-def]
    score = measure(episode)
    assert score.value is None
    assert reason in score.reason
