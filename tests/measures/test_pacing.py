"""What came before the patient had told enough, and what was told by the end."""

from __future__ import annotations

import pytest

from episodes import AGAINST, code, make_episode, make_states
from maieutic.domain.appraisal import Appraisal, Reach
from maieutic.domain.codes import Move
from maieutic.measures.evidence import advice_before_exploration, disclosure, premature_challenge

ADVICE, LECTURE, ASK, CHALLENGE = (
    code(Move.ADVICE),
    code(Move.LECTURE),
    code(Move.OPEN_QUESTION),
    code(Move.CHALLENGE),
)
THOUGHT = {"disclosed": ("situation", "thought")}
BOTH = {"disclosed": ("situation", "thought", "feeling")}
OPEN = {"openness": 0.5}


def test_advice_counts_until_thought_and_feeling_are_told() -> None:
    states = make_states({}, {}, THOUGHT, {}, BOTH, {})
    episode = make_episode(5, states=states, codes=[ADVICE, ASK, LECTURE, ASK, ADVICE])
    score = advice_before_exploration(episode)
    assert score.value == 0.5  # turns 1–4 come before; the fifth does not
    assert score.evidence == (1, 5)


def test_all_turns_count_when_it_is_never_told_and_uncoded_ones_are_left_out() -> None:
    score = advice_before_exploration(make_episode(3, codes=[ADVICE, None, ASK]))
    assert (score.value, score.evidence) == (0.5, (1,))


def test_exploration_at_once_leaves_nothing_to_count() -> None:
    score = advice_before_exploration(make_episode(1, states=make_states(BOTH, {}), codes=[ADVICE]))
    assert score.value is None
    assert score.reason == "thought and feeling were told before the therapist's first coded turn"


def test_a_coded_challenge_is_premature_while_closed_or_before_the_thought() -> None:
    states = make_states(OPEN, THOUGHT | {"openness": 0.49}, OPEN, {})
    score = premature_challenge(make_episode(3, states=states, codes=[CHALLENGE] * 3))
    assert score.value == pytest.approx(2 / 3)  # before the thought; closed; well timed
    assert score.evidence == (1, 3)


def test_reaching_for_doubt_before_the_thought_is_a_challenge_and_afterwards_is_not() -> None:
    wide = Appraisal(questions=1, open=True, wide=True)
    against = Appraisal(questions=1, open=True, reaches=(Reach(AGAINST[0], 0.8), Reach("speaks-for-it", 0.7)))
    for_it = Appraisal(questions=1, open=True, reaches=(Reach("speaks-for-it", 0.8), Reach(AGAINST[0], 0.7)))
    states = make_states(OPEN, {}, {}, THOUGHT, {}, {})
    episode = make_episode(
        5, states=states, codes=[ASK, ASK, ASK, ASK, CHALLENGE], appraisals=[wide, against, for_it, against, None]
    )
    score = premature_challenge(episode)
    assert score.value == pytest.approx(2 / 3)
    assert score.evidence == (1, 3)


def test_no_challenge_is_missing() -> None:
    score = premature_challenge(make_episode(2))
    assert (score.value, score.reason) == (None, "the therapist made no challenge")


def test_disclosure_in_thirds_with_the_answers_that_told() -> None:
    states = make_states({}, THOUGHT, {}, {"disclosed": ("situation", "thought", "goal", "feeling")})
    score = disclosure(make_episode(3, states=states))
    assert score.value == pytest.approx(2 / 3)
    assert score.evidence == (2, 6)
    assert disclosure(make_episode(1)).value == 0.0
