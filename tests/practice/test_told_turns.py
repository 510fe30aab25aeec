"""What is told of single turns in a talk with the simulated patient: of safety, of an answer, of two questions, of a
check."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from maieutic.cli.chat import played_again
from maieutic.domain.appraisal import Appraisal, Slot
from maieutic.library import get_case
from maieutic.practice import feedback, turn
from maieutic.practice.advice import alternative, well
from maieutic.practice.feedback import _kept, turns_told
from maieutic.practice.model import TurnFeedback
from maieutic.practice.moves import Part
from maieutic.practice.reader import Reading
from maieutic.practice.turn import STILL, Place
from maieutic.practice.whole_turn import (
    PERHAPS_SAFE,
    PRESSED,
    PRESSES,
    SAFE_IN_DANGER,
    Danger,
    asks_once,
    pressing,
    safe_sentences,
    surely_pressed,
    without_courtesies,
)

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


def places(
    monkeypatch: pytest.MonkeyPatch,
    *said: str,
    case: str = "nilani",
    seed: int = 1,
    readings: Mapping[int, Reading] | None = None,
) -> list[Place]:
    """What feedback on each of these turns is made from."""
    found: list[Place] = []

    def kept(place: Place) -> str | None:
        found.append(place)
        return well(place)

    monkeypatch.setattr(feedback, "well", kept)
    held = {"case": case, "patient": "simulated", "seed": seed, "turns": len(said), "said": said}
    turns_told(asyncio.run(played_again(held)), get_case(case), readings)
    return found


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


def test_after_a_turn_that_surely_pressed_less_is_praised(monkeypatch: pytest.MonkeyPatch) -> None:
    mild = "What would a good mother have done?"
    place = places(monkeypatch, "What happened that night?", mild)[-1]
    heard = place.exchange.heard
    assert not pressing(mild, heard, PRESSES[0]) and pressing(mild, heard, PRESSES[1])
    assert well(place) is not None and not place.presses
    after = replace(place, pressed_before=True)
    assert after.presses and well(after) is None


def test_a_turn_that_surely_pressed_is_remembered_and_a_question_about_danger_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pressed = "You are wrong, stop it now, you must see that."
    said = ("What happened that night?", pressed, "What was that like for you?", "What then?")
    assert [one.pressed_before for one in places(monkeypatch, *said)] == [False, False, True, True]
    heard = "I lie awake and think it would be better if I was gone. Nobody would notice."
    sound = "Do you ever think that you'd rather not live?"
    assert pressing(sound, heard, PRESSED) and not surely_pressed(sound, heard)
    assert surely_pressed(pressed, heard)


def test_what_a_language_model_read_says_whether_a_turn_pressed(monkeypatch: pytest.MonkeyPatch) -> None:
    pressed = "You are wrong, stop it now, you must see that."
    said = ("What happened that night?", pressed, "What was that like for you?")
    for does, counts in (("empathy", False), ("arguing", True)):
        read = {2: Reading("m", (does,), 0, "", "moment")}
        assert places(monkeypatch, *said, readings=read)[-1].pressed_before is counts


def test_a_question_around_a_hint_is_not_credited_and_leaves_it_to_be_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = "Is your sister at home tonight?"
    assert safe_sentences(asked, SAFE_IN_DANGER)
    place = places(monkeypatch, FIRST, asked)[-1]
    hinted = replace(place, danger=Danger(raised=True, unasked=True))
    assert hinted.passes_danger and hinted.danger_after.unasked and well(hinted) is None
    step = alternative(hinted, ())
    assert step is not None and step.instead
    offered = places(monkeypatch, FIRST, "I want us to call somebody who can stay with you tonight.")[-1]
    offered = replace(offered, danger=Danger(raised=True, unasked=True))
    step = alternative(offered, ())
    assert well(offered) == "You saw to safety." and step is not None and not step.instead


def test_what_the_head_alone_hears_counts_only_while_danger_is_the_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "Who could help you with the move?"
    place = places(monkeypatch, FIRST, asked)[-1]
    assert not place.asks_safety and not place.safe and not place.sees_to_safety
    told = replace(place, danger=Danger(raised=True, ago=STILL + 1))
    assert not told.safe and "safety" not in (well(told) or "")
    alone = "Would you let me call your doctor this afternoon?"
    plain = places(monkeypatch, FIRST, alone)[-1]
    assert safe_sentences(alone) and not plain.sees_to_safety
    near = replace(plain, danger=Danger(raised=True))
    assert well(near) == "You asked about safety." and near.on_danger and near.danger_after.ago == 0


def test_a_question_about_danger_that_may_be_a_reproach_is_not_said_to_be_in_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jab = "Are you just threatening suicide to get attention again?"
    place = places(monkeypatch, "How have the nights been?", jab, case="solveig", seed=5)[-1]
    assert place.asks_safety and not place.unpressed and well(place) == "You asked about safety."
    plain = places(monkeypatch, "How have the nights been?", "Are you thinking of suicide?", case="solveig", seed=5)[-1]
    assert plain.unpressed and well(plain) == "You asked about safety. That is never out of place."


def test_a_sure_cost_in_a_question_about_danger_keeps_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "Are you thinking of suicide?"
    named = (Part(asked, "telling_off", True), Part(asked, "pressing", False), Part(asked, "closed_question", True))
    place = places(monkeypatch, "How have the nights been?", asked, case="solveig", seed=5)[-1]
    monkeypatch.setattr(turn, "parts_of_turn", lambda *about: named)
    assert asked in place.safe and place.parts == named[:1]


@pytest.mark.parametrize(
    ("asked", "weighs"),
    [("How does that fit with the thought you told me?", True), ("What happened after that?", False)],
)
def test_weighing_is_praised_only_where_the_question_asks_for_it(
    monkeypatch: pytest.MonkeyPatch, asked: str, weighs: bool
) -> None:
    assert places(monkeypatch, FIRST, asked)[-1].asks_to_weigh is weighs


@pytest.mark.parametrize(("asked", "kept"), [("How did you feel then?", "feeling"), ("Who else was there?", "other")])
def test_a_feeling_is_kept_back_only_where_the_question_asked_for_one(
    monkeypatch: pytest.MonkeyPatch, asked: str, kept: str
) -> None:
    place = places(monkeypatch, FIRST, asked)[-1]
    place = replace(place, taken=Appraisal(asks=frozenset({Slot.FEELING})), before=replace(place.before, disclosed=()))
    assert _kept(place) == kept


def test_a_closer_question_needs_a_little_of_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    place = places(monkeypatch, FIRST, "Who knows about this?")[-1]
    place = replace(place, danger=Danger(raised=True))
    assert Slot.RISK not in place.taken.asks and place.asks_closer is not None and place.asks_safety
    monkeypatch.setattr(turn, "safe_sentences", lambda text, least: () if least == PERHAPS_SAFE else (text,))
    assert not place.asks_safety


def test_a_question_that_asks_leave_is_not_counted() -> None:
    leave = "Can we stay with that for a moment?"
    said, heard = f"{leave} What happened that night?", "I walked out while he was crying."
    assert without_courtesies(said, heard) == "What happened that night?"
    assert asks_once(said, heard) is None and asks_once(without_courtesies(said, heard), heard) is True
    assert without_courtesies(leave, heard) == leave
