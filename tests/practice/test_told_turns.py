"""What is told of single turns in a talk with the simulated patient: of safety, of an answer, of two questions, of a
check."""

from __future__ import annotations

import asyncio

import pytest

from maieutic.cli.one_turn import played_again
from maieutic.library import get_case
from maieutic.practice.feedback import turns_told
from maieutic.practice.model import TurnFeedback
from maieutic.practice.pressing import PRESSED, PRESSES, pressing

FIRST = "What brings you here?"
NILANI = (
    "What happened that night?",
    "Who was there with you?",
    "What did she say then?",
    "Where does that come from in your life?",
    "When did you first learn to see it like that?",
)


def last(*said: str, case: str = "solveig", seed: int = 5) -> TurnFeedback:
    """What is told of the last of these turns."""
    held = {"case": case, "patient": "simulated", "seed": seed, "turns": len(said), "said": said}
    return turns_told(asyncio.run(played_again(held)), get_case(case))[len(said) - 1]


def test_an_offer_of_help_beside_a_question_about_suicide_takes_nothing_from_it() -> None:
    asked = "Are you thinking of ending your life? Would it help to ring somebody?"
    closer = "Have you thought about how you would do it? Would it help to give the pills to somebody?"
    for said in ((FIRST, asked), (FIRST, asked, closer)):
        told = last(*said)
        assert told.well is not None and told.well.startswith("You asked about safety.")
        assert not [one for one in told.sentences() if "everal questions" in one or "Danger is still open" in one]


@pytest.mark.parametrize(
    ("case", "seed", "said"),
    [
        ("solveig", 5, (FIRST, "Where does that come from in your life?")),
        ("nilani", 1, NILANI),
    ],
)
def test_a_piece_of_their_life_answers_where_it_was_asked_for(case: str, seed: int, said: tuple[str, ...]) -> None:
    told = last(*said, case=case, seed=seed)
    assert "The patient told you more of their life." in told.reached
    assert not any("may not take up your question" in one for one in told.reached)
    assert told.alternative is None or "in place of an answer" not in told.alternative.why


@pytest.mark.parametrize(
    ("first", "second", "aim"),
    [
        ("What was that like for you?", "How firmly do you believe it now?", "asks how firmly they believe it"),
        ("What happened next?", "What went through your mind?", "asks for the thought"),
    ],
)
def test_what_the_last_question_asks_for_is_not_told_of_the_first(first: str, second: str, aim: str) -> None:
    was = last(FIRST, f"{first} {second}").was
    assert not [one for one in was if first in one and aim in one]
    assert [one for one in was if second in one and aim in one]


@pytest.mark.parametrize(
    ("said", "checks"),
    [
        ("Okay.", False),
        ("I know how you feel.", False),
        ("My own son left too.", False),
        ("So you said congratulations to him, and then you stood in the cold store.", True),
    ],
)
def test_a_check_is_praised_only_where_something_was_given_back_with_its_words(said: str, checks: bool) -> None:
    well = last(FIRST, f"{said} Did I get that right?").well or ""
    assert ("asked whether it was right" in well) is checks
    assert not checks or well.endswith(f"“{said}”")


def test_a_question_about_suicide_is_no_guess_and_a_leading_one_has_only_its_name() -> None:
    plain = last("How have the nights been?", "Are you thinking of suicide?")
    assert plain.well == "You asked about safety. That is never out of place."
    assert not [one for one in plain.sentences() if "guess" in one]
    leading = last(FIRST, "You aren't thinking of killing yourself, are you?")
    assert leading.well == "You asked about safety."
    assert any("leading question" in one for one in leading.was)


def test_an_offer_of_help_is_credited_and_no_step_past_it() -> None:
    offered = "I want us to call somebody who can stay with you tonight."
    told = last(FIRST, "Are you thinking of ending your life?", offered)
    assert told.well is not None and told.well.startswith("You saw to safety.")
    assert not any("word about the talk" in one for one in told.was)
    plain = last("What happened?", "I'll close the window.", case="nilani", seed=1)
    assert plain.well is None or "safety" not in plain.well


def test_an_order_is_not_told_as_a_remark_that_asks_nothing() -> None:
    for said in ("Tell me what happened that night.", "Go on, say it."):
        assert not any("asked nothing" in one for one in last(FIRST, said, case="nilani", seed=1).was), said


def test_after_a_turn_that_surely_pressed_less_is_praised() -> None:
    mild = "You could look at it like that. What do you make of it?"
    pressed = "You are wrong, stop it now, you must see that."
    heard = "It was late. Nobody rang me."
    assert pressing(pressed, heard, PRESSED)
    assert set(pressing(mild, heard, PRESSES[0])) <= set(pressing(mild, heard, PRESSES[1]))
    free = last("What happened that night?", "What was that like for you?", case="nilani", seed=1)
    assert free.well is not None
