"""BOLT rates, places of codes and rates by thirds, worked by hand."""

from __future__ import annotations

import pytest
from coded_talk import talk
from hypothesis import given
from hypothesis import strategies as st

from maieutic.measures import order
from maieutic.measures.coded import THERAPIST_LABELS
from maieutic.measures.definition import NO_BOLT

labels = st.lists(st.sampled_from(THERAPIST_LABELS), min_size=9, max_size=40)


def test_a_bolt_rate_is_of_the_turns_that_carry_a_code() -> None:
    coded = talk(
        ("T", "question", "A?", ("Planning",)), ("T", "other", "B.", ("Planning", "Normalizing")),
        ("T", "other", "C.", ()), ("T", "other", "D.", ("Normalizing",)), ("C", "neutral", "E.", ("Gained Insights",)),
    )  # fmt: skip
    score = order.BOLT_RATES["Planning"](coded)
    assert (score.measure, score.value, score.evidence) == ("bolt_planning_rate", pytest.approx(2 / 3), (10, 11))
    client = order.BOLT_RATES["Gained Insights"](coded)
    assert (client.value, client.reason) == (None, "1 client turns with a BOLT code; at least 3 are needed")


def test_without_bolt_codes_the_reason_says_so() -> None:
    coded = talk(*[("T", "question", "A?")] * 4)
    for measure in (*order.BOLT_RATES.values(), *order.BOLT_POSITIONS.values(), order.solution_after_negative_feeling):
        assert (measure(coded).value, measure(coded).reason) == (None, NO_BOLT)


def test_the_place_of_a_code_is_the_mean_of_its_places() -> None:
    coded = talk(*[("T", label, "A.") for label in ("question", "other", "question", "reflection", "other")])
    assert order.POSITIONS["question"](coded).value == pytest.approx(0.25)  # places 0 and 2 of 0 to 4
    assert order.POSITIONS["reflection"](coded).evidence == (13,)
    assert order.POSITIONS["therapist_input"](coded).reason == "no turn is mainly advice or information"


@given(labels)
def test_places_turn_round_with_the_session(drawn: list[str]) -> None:
    there = talk(*[("T", label, "A.") for label in drawn])
    back = talk(*[("T", label, "A.") for label in reversed(drawn)])
    for label in set(drawn):
        value, turned = order.POSITIONS[label](there).value, order.POSITIONS[label](back).value
        assert value is not None and turned is not None
        assert 0 <= value <= 1 and value + turned == pytest.approx(1)


@given(labels)
def test_rates_of_a_third_sum_to_one_and_thirds_hold_every_turn(drawn: list[str]) -> None:
    coded = talk(*[("T", label, "A.") for label in drawn])
    for part in order.PARTS:
        assert sum(order.THIRDS[label, part](coded).value or 0 for label in THERAPIST_LABELS) == pytest.approx(1)
    parts = order.thirds(coded.turns)
    assert sum(map(len, parts)) == len(drawn) and max(map(len, parts)) - min(map(len, parts)) <= 1


def test_thirds_need_nine_turns() -> None:
    score = order.THIRDS["question", "last"](talk(*[("T", "question", "A?")] * 8))
    assert (score.value, score.reason) == (None, "8 coded therapist turns; 9 make thirds")


def test_replies_to_a_negative_feeling() -> None:
    felt = "Sharing Negative Emotions"
    coded = talk(
        ("C", "neutral", "Bad.", (felt,)), ("T", "other", "Try.", ("Problem-Solving",)),
        ("C", "neutral", "Bad.", (felt,)), ("T", "other", "You fear.", ("Reflections on Emotions", "Planning")),
        ("C", "neutral", "Bad.", (felt,)), ("T", "other", "Mm.", ()),
        ("C", "neutral", "Bad.", (felt,)), ("T", "other", "Mm.", ("Normalizing",)),
        ("C", "neutral", "Bad.", (felt,)), ("T", "other", "You hope.", ("Reflections on Needs",)),
        ("C", "neutral", "Fine.", ("Sharing Experiences",)), ("T", "other", "Try.", ("Planning",)),
    )  # fmt: skip
    assert order.solution_after_negative_feeling(coded).evidence == (11, 13)
    reflected = order.reflection_after_negative_feeling(coded)
    assert (reflected.value, reflected.evidence) == (0.5, (13, 19))


def test_a_share_of_one_or_two_is_missing_and_says_so() -> None:
    felt = ("C", "neutral", "Bad.", ("Sharing Negative Emotions",))
    told = ("T", "therapist_input", "You should sleep.", ("Reflections on Consequences",))
    for times in (1, 2):
        score = order.reflection_after_negative_feeling(talk(*[felt, told] * times))
        assert (score.value, score.reason) == (None, f"too few ({times} of {times}); at least 3 are needed")
    assert order.reflection_after_negative_feeling(talk(*[felt, told] * 3)).value == 1.0
