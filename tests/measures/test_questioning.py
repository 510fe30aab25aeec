"""The mix of moves and the form of the questions."""

from __future__ import annotations

import pytest

from episodes import code, make_episode, make_states, without_session
from maieutic.domain.codes import Move
from maieutic.measures.moves import (
    advice_rate,
    open_among_asking_turns,
    question_burden,
    stacked_or_leading,
    turns_that_ask,
    turns_that_reflect,
)

OPEN, CLOSED, BOTH = (
    code(Move.OPEN_QUESTION),
    code(Move.CLOSED_QUESTION),
    code(Move.OPEN_QUESTION, Move.CLOSED_QUESTION),
)
REFLECTION, ADVICE, OTHER = code(Move.REFLECTION), code(Move.ADVICE), code(Move.OTHER)
REFLECT_AND_ASK = code(Move.SUMMARY, Move.OPEN_QUESTION)


def test_rates_are_over_the_coded_turns() -> None:
    episode = make_episode(6, codes=[OPEN, CLOSED, BOTH, ADVICE, REFLECTION, None])
    assert (turns_that_ask(episode).value, turns_that_ask(episode).evidence) == (0.6, (1, 3, 5))
    assert (advice_rate(episode).value, advice_rate(episode).evidence) == (0.2, (7,))
    assert (turns_that_reflect(episode).value, turns_that_reflect(episode).evidence) == (0.2, (9,))
    assert open_among_asking_turns(episode).value == pytest.approx(2 / 3)
    assert open_among_asking_turns(episode).evidence == (1, 5)


def test_zero_is_a_value_where_turns_were_coded() -> None:
    episode = make_episode(2, codes=[OTHER, OTHER])
    assert [m(episode).value for m in (turns_that_ask, advice_rate, turns_that_reflect, question_burden)] == [0.0] * 4
    assert open_among_asking_turns(episode).reason == "the therapist asked no question"


@pytest.mark.parametrize(
    ("codes", "longest", "shown"),
    [
        ([OPEN, CLOSED, REFLECTION, OPEN], 2.0, (1, 3)),
        ([OPEN, REFLECT_AND_ASK, OPEN, OPEN, CLOSED], 3.0, (5, 7, 9)),
        ([OPEN, ADVICE, OPEN], 1.0, (1,)),
        ([OPEN, None, OPEN, OPEN], 2.0, (5, 7)),
    ],
)
def test_question_burden_is_the_longest_run(codes, longest: float, shown: tuple[int, ...]) -> None:  # type: ignore[no-untyped-def]
    score = question_burden(make_episode(len(codes), codes=codes))
    assert (score.value, score.unit, score.evidence) == (longest, "turns", shown)


def test_stacked_or_leading_reads_the_words() -> None:
    said = ["Hello.", "What happened then?", "It broke.", "What did you do? And who was there?", "I left."]
    said += ["Don't you think that he likes you?", "No.", "That was hard.", "Yes."]
    score = stacked_or_leading(make_episode(said, codes=[None] * 4, states=(), appraisals=()))
    assert score.value == pytest.approx(2 / 3)
    assert score.evidence == (3, 5)
    assert stacked_or_leading(make_episode(["Hello.", "I see.", "Yes."])).reason == "the therapist asked no question"


@pytest.mark.parametrize(
    "measure",
    [turns_that_ask, turns_that_reflect, advice_rate, open_among_asking_turns, question_burden, stacked_or_leading],
    ids=lambda m: m.id,
)
def test_missing_with_its_reason(measure) -> None:  # type: ignore[no-untyped-def]
    assert measure(make_episode(2, ending="failed")).reason == "the dialogue failed: the model gave up"
    assert measure(without_session(make_states({}, {}))).reason == "the therapist said nothing (no session)"
    if measure is not stacked_or_leading:
        assert measure(make_episode(2, codes=[None, None])).reason == "no therapist turn was coded"
        assert measure(make_episode(2, codes=[])).value is None
