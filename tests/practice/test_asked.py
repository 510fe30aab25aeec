"""A next step does not ask what was just asked, and a question for a number is known by what it asks for."""

from __future__ import annotations

import pytest

from maieutic.domain.appraisal import QuestionForm
from maieutic.practice.steps import CHOOSE, CLOSER, MOMENT, OWN_WORDS, WHY
from maieutic.practice.whole_turn import (
    ASKED,
    HEARD_TOO,
    TOLD,
    UNTOLD,
    aim_of,
    asks_again,
    of_something_else,
    of_the_belief,
)


@pytest.mark.parametrize(
    ("kind", "asked", "other"),
    [
        (OWN_WORDS, "How would you say that in your own words?", "What happened on Sunday?"),
        (CLOSER, "How strongly do you believe that, from 0 to 100?", "Who was there with you?"),
        (CHOOSE, "What would you rather talk about?", "What did she say then?"),
        (MOMENT, "What was that moment like for you?", "How many letters were there?"),
    ],
)
def test_what_was_just_asked_is_known_by_its_meaning(kind: str, asked: str, other: str) -> None:
    assert asks_again(kind, asked)
    assert not asks_again(kind, other)
    assert not asks_again(kind, "You went home then.")


def test_a_question_for_the_belief_is_known_from_one_for_another_number() -> None:
    assert of_the_belief("How firmly do you believe that thought, from 0 to 100?")
    for asked in ("How anxious are you now, from zero to ten?", "How strong is the sadness, 0 to 100?"):
        assert not of_the_belief(asked), asked
        assert of_something_else(asked), asked


def test_every_wording_belongs_to_a_step_that_has_its_reason() -> None:
    assert set(ASKED) <= set(WHY)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("What went through your mind just then?", "asks for the thought"),
        ("How firmly do you believe that, from 0 to 100?", "asks how firmly they believe it"),
        ("So you went home again. Have I got that right?", "asks whether you have understood them"),
    ],
)
def test_what_a_question_asks_for_is_told_where_it_is_sure(asked: str, told: str) -> None:
    assert aim_of(asked, None) == told


def test_what_the_ear_heard_is_told_only_with_the_head_behind_it() -> None:
    assert aim_of("What would your sister say about that?", QuestionForm.OTHER_VIEW) == TOLD["other_view"][0]
    assert aim_of("Who was in the hall?", QuestionForm.OTHER_VIEW) is None
    assert {name for name, _ in HEARD_TOO.values()} <= set(TOLD)
    assert not set(TOLD) & set(UNTOLD)
