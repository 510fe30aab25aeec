"""The rule coder: what each kind of turn is coded as, and that nothing crashes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maieutic.coding.rules import RuleCoder, code_text
from maieutic.domain.codes import Move
from maieutic.domain.episode import Session
from maieutic.runs.files import read_lines
from talks import session_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What went through your mind?", {Move.OPEN_QUESTION}),
        ("Did you sleep?", {Move.CLOSED_QUESTION}),
        ("You should call her tomorrow.", {Move.ADVICE}),
        ("Have you tried yoga?", {Move.ADVICE}),
        ("It will be all right.", {Move.REASSURANCE}),
        ("You are such a strong person.", {Move.AFFIRMATION}),
        ("It sounds like the meeting was hard.", {Move.REFLECTION}),
        ("That's not true.", {Move.CHALLENGE}),
        ("Research shows that sleep matters.", {Move.INFORMATION}),
        ("Hello.", {Move.OTHER}),
        ("", {Move.OTHER}),
    ],
)
def test_plain_turns(text: str, expected: set[Move]) -> None:
    assert set(code_text(text).moves) == expected


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("Let me sum up what you have told me about the letter.", Move.SUMMARY),
        ("You feel ashamed.", Move.FEELING_CLAIM),
        ("Don't you think he likes you?", Move.CHALLENGE),
        ("Are you having thoughts of ending your life?", Move.RISK_RESPONSE),
        (
            "Research on sleep is clear. "
            + "People often lie awake and think about their day and about their work. " * 5,
            Move.LECTURE,
        ),
    ],
)
def test_moves_that_come_with_others(text: str, move: Move) -> None:
    assert move in code_text(text)


def test_words_given_back_are_a_reflection_and_not_advice() -> None:
    code = code_text("It sounds like you have to do it all at the shop.", "I have to do it all at the shop, every day.")
    assert Move.REFLECTION in code
    assert Move.ADVICE not in code
    assert Move.ADVICE in code_text("You have to draw a line under the past.", "I lost my job.")
    assert Move.ADVICE not in code_text(
        "You have to mind the shop and the post.", "I have to mind the shop and the post."
    )
    assert Move.REFLECTION in code_text(
        "The shop and the letters, all on Friday.", "On Friday the letters came to the shop."
    )


def test_the_last_therapist_turn_is_coded_in_the_light_of_the_patients_last_words() -> None:
    session = session_of("I lost the key.", "Did you sleep?", "The shop burned my letters.", "The letters in the shop.")
    assert RuleCoder().code(session) == code_text("The letters in the shop.", "The shop burned my letters.")
    assert Move.REFLECTION in RuleCoder().code(session)
    assert RuleCoder().code(Session()).moves == (Move.OTHER,)


def test_plain_advice_of_a_hand_that_nothing_learned_from_is_heard_and_good_turns_are_not() -> None:
    heard: dict[str, list[bool]] = {}
    for one in read_lines(Path(__file__).parent / "data" / "told_final.jsonl"):
        kind = one["kind"] if one["kind"] != "advice" or one["plain"] else "hinted"
        heard.setdefault(kind, []).append(Move.ADVICE in code_text(one["text"], one["before"]))
    good = [hit for kind in ("reflection", "question", "summary", "validation") for hit in heard[kind]]
    assert sum(heard["advice"]) >= 0.85 * len(heard["advice"])
    assert sum(good) <= 0.03 * len(good)


def test_a_long_reflection_is_no_advice_for_its_length() -> None:
    assert Move.ADVICE not in code_text("I hear how heavy this is for you, and how long you have carried it. " * 30)


def test_advice_is_heard_in_its_moment() -> None:
    assert Move.ADVICE in code_text("You should just ring Dewi back.", "Dewi keeps ringing and I don't pick up.")
    assert Move.ADVICE in code_text("One small one, and none this week.", "And a glass of wine on a Friday?")
    assert Move.ADVICE not in code_text("You feel you should have rung her.", "I never rang my sister back.")


@given(st.text(max_size=600), st.text(max_size=200))
def test_any_text_gets_a_code(text: str, previous: str) -> None:
    code = code_text(text, previous)
    assert code.moves
    assert all(0.0 <= p <= 1.0 for p in code.probabilities.values())
    assert code == code_text(text, previous)


def test_a_turn_of_100000_characters_is_coded() -> None:
    assert Move.ADVICE in code_text("You should rest. " * 6_000)
