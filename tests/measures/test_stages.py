"""Padesky's stages by rule, and the scores of their order, worked by hand."""

from __future__ import annotations

import pytest
from coded_talk import talk
from hypothesis import given
from hypothesis import strategies as st

from maieutic.measures import discovery as stages
from maieutic.measures.coded import CodedTranscript

INFORM = ("T", "question", "When did it begin?")
LISTEN = ("T", "reflection", "It left you cold.")
SUM_UP = ("T", "reflection", "So far you have told me of the move and of your brother.")
JOIN = ("T", "question", "How does that fit with being a bad son?")
ADVISE = ("T", "therapist_input", "You should ring him.")
CYCLE = (INFORM, LISTEN, SUM_UP, JOIN)


def session(*turns: tuple[str, str, str]) -> CodedTranscript:
    return talk(*turns)


def test_each_turn_has_its_stage() -> None:
    found = [stages.stage_of(turn) for turn in session(*CYCLE, ADVISE).turns]
    assert found == ["informing", "listening", "summary", "synthesis", None]


def test_bolt_perspectives_and_long_reflections_count() -> None:
    coded = talk(
        ("T", "question", "And your sister?", ("Questions on Perspectives",)), ("T", "reflection", "word " * 60)
    )
    assert [stages.stage_of(turn) for turn in coded.turns] == ["synthesis", "summary"]


def test_cycles_are_in_order_and_going_back_is_not() -> None:
    assert stages.stage_order(session(*CYCLE, *CYCLE)).value == 1.0
    # listening, informing (back), listening (on), summary (on), listening (back)
    score = stages.stage_order(session(LISTEN, INFORM, LISTEN, SUM_UP, LISTEN))
    assert (score.value, score.evidence) == (0.5, (12, 13))
    assert stages.stage_order(session(INFORM, LISTEN)).reason == "1 changes of stage; at least 3 are needed"


def test_longest_climb_allows_no_cycle() -> None:
    assert stages.longest_stage_climb(session(*CYCLE)).value == 1.0
    assert stages.longest_stage_climb(session(*CYCLE, *CYCLE)).value == pytest.approx(5 / 8)
    assert stages.longest_stage_climb(session(ADVISE)).reason == "0 turns with a stage; at least 3 are needed"


def test_stages_that_occur_and_synthesising_questions() -> None:
    coded = session(INFORM, JOIN, INFORM)
    assert (stages.stages_covered(coded).value, stages.stages_covered(coded).evidence) == (0.5, (10, 11))
    assert stages.synthesis_question_share(coded).value == pytest.approx(1 / 3)
    assert stages.stages_covered(session(ADVISE)).reason == "no turn with a stage"
    assert stages.synthesis_question_share(session(LISTEN)).reason == "no question turns"


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_the_longest_climb_lies_between_the_commonest_value_and_all(values: list[int]) -> None:
    found = stages.longest_climb(values)
    assert max(map(values.count, values)) <= found <= len(values)
    assert stages.longest_climb(sorted(values)) == len(values)


@given(st.lists(st.sampled_from([*CYCLE, ADVISE]), max_size=30))
def test_ranges(turns: list[tuple[str, str, str]]) -> None:
    coded = session(*turns)
    for measure in (
        stages.stage_order,
        stages.longest_stage_climb,
        stages.stages_covered,
        stages.synthesis_question_share,
    ):
        score = measure(coded)
        assert (score.value is None) == (score.reason is not None)
        assert score.value is None or 0 <= score.value <= 1
