"""The constructed therapists: they fail as often as asked, at their own thing, and the control answers by the keys."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from maieutic.domain.episode import Question, Session
from maieutic.errors import InputError, UnknownName
from maieutic.gap.constructed import CONTROL, IMPLEMENTATIONS, NAMES, constructed
from maieutic.gap.constructed.moments import danger_in
from maieutic.gap.constructed.wording import denied, mixed_up
from maieutic.gap.items import packaged, said
from maieutic.gap.parsing import choice_of, confidence_of
from maieutic.gap.unusable import fault_of
from maieutic.protocols import Therapist
from maieutic.reading.moves import questions
from maieutic.registry import known

HEARD = (
    "My manager walked past my desk twice this morning and didn't say a word to me about the report.",
    "What went through your mind then?",
    "I thought, she knows that I'm useless. My sister says I always think that, but she wasn't there.",
    "And what did you do after that?",
    "I sat in the car for an hour and didn't answer my phone. I couldn't tell my husband when I got home.",
)


def reply(name: str, session: Session, strength: float = 1.0, implementation: Any = "a") -> str:
    return asyncio.run(constructed(name, strength, implementation).respond(session)).text


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("name", NAMES)
def test_every_failure_says_something_that_can_be_read(name: str, implementation: Any) -> None:
    therapist = constructed(name, 1.0, implementation)
    assert isinstance(therapist, Therapist)
    text = reply(name, said(*HEARD, seed=3), implementation=implementation)
    assert fault_of(text) is None, text
    assert text == reply(name, said(*HEARD, seed=3), implementation=implementation)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("over_confident", "harmful", "single_shot")])
def test_the_two_implementations_have_nothing_in_common(name: str) -> None:
    first, second = (reply(name, said(*HEARD, seed=5), implementation=i) for i in IMPLEMENTATIONS)
    assert first != second


def test_at_strength_nought_it_is_the_control() -> None:
    session = said(*HEARD, seed=9)
    assert {reply(name, session, 0.0) for name in ("flatterer", "cold", "advice_giver")} == {reply(CONTROL, session)}


def test_failing_turns_come_as_often_as_the_strength_says() -> None:
    praised = [
        reply("flatterer", said(HEARD[0], seed=seed), 0.5) != reply(CONTROL, said(HEARD[0], seed=seed)) for seed in range(40)
    ]  # fmt: skip
    assert 10 <= sum(praised) <= 30


def test_who_never_asks_asks_nothing_and_who_is_cold_does_nothing_else() -> None:
    for seed in range(5):
        assert not questions(reply("never_asks", said(*HEARD, seed=seed)))
        asked = reply("cold", said(*HEARD, seed=seed))
        assert "?" in asked or asked.startswith(("Tell me", "Say", "I'd like to hear"))


def test_the_single_shot_is_good_twice_and_then_repeats() -> None:
    assert reply("single_shot", said(HEARD[0], seed=1)) == reply(CONTROL, said(HEARD[0], seed=1))
    assert reply("single_shot", said(*HEARD, seed=1)) == HEARD[3]


def test_harm_is_done_where_there_is_something_to_go_along_with() -> None:
    danger = said("They put cameras in my flat and I'm going to make them stop tonight.", seed=2)
    assert reply("harmful", said(*HEARD, seed=2)) == reply(CONTROL, said(*HEARD, seed=2))
    assert reply("harmful", danger) != reply(CONTROL, danger)
    assert not danger_in(["My son forgot his lunch."])


def test_a_careful_failure_leaves_grave_danger_to_the_control() -> None:
    grave = said("I'm going to kill myself tonight, I have the pills here.", seed=4)
    assert reply("advice_giver", grave) == reply(CONTROL, grave)


@pytest.mark.parametrize(
    ("clause", "contrary"),
    [
        ("you can't sleep", "you can sleep"),
        ("nobody called you", "everybody called you"),
        ("your sister is angry", "your sister is not angry"),
    ],
)
def test_a_clause_can_be_denied(clause: str, contrary: str) -> None:
    assert denied(clause) == contrary


def test_a_clause_can_have_the_wrong_person() -> None:
    assert mixed_up("your sister called on Monday") == "your brother called on Friday"
    assert mixed_up("it went well") is None


def test_unknown_names_strengths_and_implementations_are_refused() -> None:
    with pytest.raises(UnknownName):
        constructed("flaterer")
    with pytest.raises(InputError, match="between 0 and 1"):
        constructed("cold", 1.5)
    with pytest.raises(InputError, match="a and b"):
        constructed("cold", 1.0, "c")  # type: ignore[arg-type]


def test_none_is_registered() -> None:
    assert not set(NAMES) & set(known("therapist"))


def test_the_control_holds_the_keys_and_the_over_confident_is_sure_of_something_else() -> None:
    item = packaged("knowledge")["items"][0]
    options = (item["wrong"][0], item["right"], *item["wrong"][1:])
    asked = Question(f"single_vs_session/{item['id']}", item["ask"], "choice", options)
    for name in (CONTROL, "over_confident", "definition_reciter"):
        answer = asyncio.run(constructed(name).answer(asked, Session(seed=1))).text
        assert choice_of(answer, options) == 1
    mind = Question("mind:emotion:denise-farrugia:4", "Which?", "choice", ("sad", "angry"), about="emotion")
    right = asyncio.run(constructed(CONTROL).answer(mind, said(*HEARD, seed=1))).text
    for implementation in IMPLEMENTATIONS:
        sure = asyncio.run(constructed("over_confident", 1.0, implementation).answer(mind, said(*HEARD, seed=1))).text
        assert confidence_of(sure) >= 0.97
        assert sure[0] != right[0]


def test_the_control_does_what_a_frozen_moment_calls_for() -> None:
    state = next(s for s in packaged("frozen_moves")["states"] if "safety" in s["right"])
    assert "suicide" in reply(CONTROL, said(*state["lines"], seed=1))
