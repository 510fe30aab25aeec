"""The arm that picks among drafts: what its reader refuses, what is said, what it costs, and the bare one beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from maieutic.domain.episode import Session, Turn, Usage
from maieutic.models.scripted import ScriptedModel
from maieutic.protocols import Message
from maieutic.therapists import drafts
from maieutic.therapists.drafts import Draft, fine, read_draft
from maieutic.therapists.trained import DRAFTS, ENOUGH, Bare, Trained

TOLD = Session((Turn("patient", "I forgot the heating again, and the whole flat went cold. I felt like a failure."),))


class Packaged(ScriptedModel):
    """Stands for the packaged adapter."""

    packaged_adapter = True


def saying(*texts: str, seeds: list[int] | None = None) -> Packaged:
    """A model that says these one after another."""
    left = list(texts)

    def say(messages: Sequence[Message], seed: int) -> str:
        if seeds is not None:
            seeds.append(seed)
        return left.pop(0)

    return Packaged(say)


def graded(monkeypatch: pytest.MonkeyPatch, **chances: float) -> None:
    """Has the reader find each word's sentence so likely fine."""
    monkeypatch.setattr(drafts, "fine", lambda parts, session: [chances[part.strip("?.").lower()] for part in parts])


def test_the_reader_likes_plain_questions_better_than_garbled_ones() -> None:
    plain = ("What went through your mind then?", "What was that like for you?")
    garbled = (
        "What have you managed lately that speaks against having the heating gone off, with the cold in your mind?",
        "When has it gone differently, from 0 to eighty-nine, that you have a failure of the flat in you?",
    )
    assert min(fine(plain, TOLD)) > ENOUGH > max(fine(garbled, TOLD))


def test_a_draft_loses_the_sentences_before_its_question_that_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    graded(monkeypatch, odd=0.2, good=0.8, why=0.7, bye=0.9)
    assert read_draft("Odd. Good. Why? Bye.", TOLD, 0.5) == Draft("Good. Why?", 0.7)
    assert read_draft("Odd. Good.", TOLD, 0.5) == Draft("Good.", 0.8)
    assert read_draft("", TOLD, 0.5) == Draft("", 0.0)


def test_a_question_that_was_asked_before_is_a_last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    graded(monkeypatch, good=0.8, why=0.7)
    asked = TOLD + Turn("therapist", "Good. Why?") + Turn("patient", "I said.")
    assert read_draft("Why?", asked, 0.5).fine == 0.35


def test_the_first_sound_draft_is_said_and_all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    graded(monkeypatch, odd=0.2, why=0.7, how=0.9)
    seeds: list[int] = []
    arm = Trained(saying("Odd?", "Why?", "How?", seeds=seeds))
    turn = asyncio.run(arm.respond(TOLD))
    assert (turn.text, turn.usage) == ("Why?", Usage(2, None, None)) and turn.trace == {"drafts": 2, "fine": 0.7}
    assert len(set(seeds)) == 2
    assert asyncio.run(Trained(saying("Odd?", "Why?", "How?")).respond(TOLD)) == turn


def test_where_none_is_sound_the_best_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    graded(monkeypatch, a=0.2, b=0.4, c=0.3, d=0.1)
    turn = asyncio.run(Trained(saying("A?", "B?", "C?", "D?")).respond(TOLD))
    assert turn.text == "B?" and turn.trace == {"drafts": DRAFTS, "fine": 0.4}


def test_bare_arms_and_other_adapters_say_what_they_draft() -> None:
    for arm in (Bare(saying("Odd? ")), Trained(ScriptedModel(lambda messages, seed: "Odd?"))):
        turn = asyncio.run(arm.respond(TOLD))
        assert turn.text.strip() == "Odd?" and turn.trace is None
    assert "+drafts4@" in Trained(saying()).name and "drafts" not in Bare(saying()).name
