"""A next step does not ask what was just asked, and a number is told as what it was asked for."""

from __future__ import annotations

import pytest

from maieutic.practice.asked import ASKED, asks_again, of_something_else, of_the_belief
from maieutic.practice.steps import CHOOSE, CLOSER, MOMENT, OWN_WORDS, WHY


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


def test_a_number_is_the_beliefs_only_where_the_belief_was_asked_about() -> None:
    assert of_the_belief("How firmly do you believe that thought, from 0 to 100?")
    for asked in ("How anxious are you now, from zero to ten?", "How strong is the sadness, 0 to 100?"):
        assert not of_the_belief(asked), asked
        assert of_something_else(asked), asked


def test_every_wording_belongs_to_a_step_that_has_its_reason() -> None:
    assert set(ASKED) <= set(WHY)
