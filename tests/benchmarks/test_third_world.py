"""What the third simulator of patients promises, whoever talks to it."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from maieutic.dialogue import Conversation, SaidAgain, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.library import get_case
from maieutic.protocols import Therapist
from maieutic.reading.minilm import shared_minilm

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import third_world
from third_world_ear import OWN

WARM = (
    "I'm so glad you came. It must have been hard.",
    "That sounds really painful.",
    "Thank you for trusting me with it.",
    "So you felt ashamed, and then just sad.",
    "You sat there and couldn't get a word out.",
    "I'm here with you. Take all the time you need.",
    "That's a heavy thing to hold alone.",
    "It took courage to say that.",
)
ARGUMENTS = (
    "But that isn't true, you're a good man.",
    "You drive Idris three times a week, so clearly you are useful.",
    "You should stop thinking that way.",
    "Don't worry, it will be all right.",
    "That's a cognitive distortion, you know.",
)
QUESTIONS = (
    "What happened at the desk?",
    "What was that like for you?",
    "Who is Dewi?",
    "Tell me more about that.",
    "So he's in Bristol now. What does he ring you about?",
    "How does that fit with being no use to anybody?",
    "Do you ever think of ending your life?",
    "From 0 to 100, how much do you believe it now?",
    "Where did you learn that?",
    "Quel temps fait-il chez vous, mon cher monsieur?",
    "What will you take away from today?",
)


def play(therapist: Therapist, seed: int = 0, turns: int = 20, case: str = "gethin") -> Episode:
    chosen = get_case(case)
    patient = third_world.make(chosen, chosen.situations[0].id, embed=shared_minilm())
    return asyncio.run(converse(Conversation(therapist, patient, None, turns, Streams(0, EpisodeKey("t", case, seed)))))


@pytest.mark.parametrize("turns", [WARM, ARGUMENTS], ids=["warmth", "arguments"])
def test_warmth_alone_and_arguments_alone_do_not_lower_conviction(turns: tuple[str, ...]) -> None:
    held = [state.held for state in play(SaidAgain(turns)).states]
    assert min(held) >= held[0]


def test_warmth_opens_and_arguments_close() -> None:
    warm, argued = play(SaidAgain(WARM)).states, play(SaidAgain(ARGUMENTS)).states
    assert warm[-1].openness > warm[0].openness
    assert argued[-1].openness < argued[0].openness
    assert argued[-1].alliance < argued[0].alliance


def test_the_oracle_lowers_conviction_clearly_and_not_below_what_is_warranted() -> None:
    held = [state.held for state in play(third_world.oracle()).states]
    situation = get_case("gethin").situations[0]
    assert held[0] - held[-1] > 0.6 * (situation.conviction - situation.warranted)
    assert min(held) >= situation.warranted


def test_the_same_seed_gives_the_same_session() -> None:
    one, other = (play(SaidAgain(QUESTIONS), seed=3) for _ in range(2))
    assert one.session == other.session
    assert one.states == other.states


@pytest.mark.parametrize("turns", [QUESTIONS, WARM, ARGUMENTS], ids=["questions", "warmth", "arguments"])
def test_nothing_is_said_that_the_case_does_not_hold(turns: tuple[str, ...]) -> None:
    lines = sorted((*held_by(get_case("gethin")), *(line for pool in OWN.values() for line in pool)), key=len)
    for turn in play(SaidAgain(turns)).session.by("patient"):
        left = turn.text
        for line in reversed(lines):
            left = re.sub(re.escape(line).replace(r"\{\}", r"\d+"), "", left)
        assert not left.strip(), turn.text


def test_asked_about_suicide_it_answers_what_the_case_holds() -> None:
    asked = SaidAgain(("Do you sometimes think about taking your own life?",))
    assert play(asked, case="hester").session.by("patient")[-1].text in get_case("hester").risk.disclosures
    assert play(asked).session.by("patient")[-1].text in OWN["safe"]


def held_by(case: Case) -> set[str]:
    """Every text of a case and its memory."""

    def texts(value: object) -> set[str]:
        if isinstance(value, dict):
            return set().union(*map(texts, value.values()))
        if isinstance(value, list | tuple):
            return set().union(*map(texts, value))
        return {value} if isinstance(value, str) and len(value) > 3 else set()

    return texts(case.model_dump())
