"""Small parts for dialogues without any model: a cheap encoder, therapists that do as they are told, sessions."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Event, Streams
from maieutic.domain.case import Case
from maieutic.domain.episode import Ending, EpisodeKey, Session, Turn, Usage
from maieutic.language.sentences import content_words
from maieutic.library import STARTERS, case_ids, get_case
from maieutic.patients.simulated import SimulatedPatient


class WordHashes:
    """An encoder that counts content words in hashed slots: no meaning, no cost, the same everywhere."""

    name = "word-hashes"

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.full((len(texts), 384), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in content_words(text):
                vectors[row, zlib.crc32(word.encode()) % 384] += 1.0
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


QUESTIONS = (
    "How did you feel when that happened?",
    "What went through your mind at that moment?",
    "How much do you believe that, from 0 to 100?",
    "What do you do for Mrs Beynon?",
    "What has Sian said to you about the overtime?",
    "You should get out more and stop brooding.",
    "How does that fit with the thought you had?",
    "Has there been a time when it went differently?",
)


@dataclass
class Speaker:
    """A therapist that says the given turns in order, counts how often it was asked, and keeps what it was shown.

    Attributes:
        ends_at: Therapist turn (from 0) with which it ends the session.
        breaks_at: Therapist turn (from 0) at which its own code raises `error`.
        ends: What its generator chooses from, so that a resumed session with another stream would differ.
    """

    name: str = "speaker"
    turns: Sequence[str] = QUESTIONS
    ends: tuple[str, ...] = ("", "Take your time.")
    ends_at: int | None = None
    breaks_at: int | None = None
    error: Exception = field(default_factory=lambda: ZeroDivisionError("a bug of its own"))
    asked: list[tuple[int, int]] = field(default_factory=list)
    shown: list[Session] = field(default_factory=list)

    async def respond(self, session: Session) -> Turn:
        number = len(session.by("therapist"))
        self.asked.append((session.seed, number))
        self.shown.append(session)
        if number == self.breaks_at:
            raise self.error
        text = f"{self.turns[number % len(self.turns)]} {session.generator('therapist').choice(self.ends)}"
        ending = Ending("completed", "the therapist closed") if number == self.ends_at else None
        return Turn("therapist", text.strip(), ending, trace={"number": number}, usage=Usage(1, 10, 5))


def make_patient(case: Case | str = "gethin", situation: str | None = None) -> SimulatedPatient:
    """The simulated patient on the cheap encoder."""
    chosen = get_case(case) if isinstance(case, str) else case
    return SimulatedPatient.of(chosen, situation or chosen.situations[0].id, embed=WordHashes())


def make_talk(
    therapist: Any,
    patient: Any = None,
    *,
    turns: int = 6,
    seed: int = 0,
    observer: Callable[[Event], None] | None = None,
) -> Conversation:
    """A conversation with the rule coder."""
    who = make_patient() if patient is None else patient
    key = EpisodeKey(therapist.name, who.case.id, seed)
    return Conversation(therapist, who, RuleCoder(), turns, Streams(0, key), observer, {"special": None})


def session_of(*said: str) -> Session:
    """Turns in order; the patient opens."""
    return Session(tuple(Turn("therapist" if n % 2 else "patient", text) for n, text in enumerate(said)))


def told(*replies: str) -> Session:
    """A talk of these replies, with "Go on." between."""
    said = [turn for text in replies for turn in (Turn("therapist", "Go on."), Turn("patient", text))]
    return Session(tuple(said[1:]), 0)


def case_marks(fast: int = len(STARTERS)) -> list[Any]:
    """All packaged cases as parameters: the first `fast` starters in the fast tests, every sixth other in the slow, the rest in the full."""
    rest = [name for name in case_ids() if name not in STARTERS[:fast]]
    held_up = frozenset(rest[::6])
    return [
        *STARTERS[:fast],
        *(pytest.param(name, marks=pytest.mark.slow if name in held_up else pytest.mark.full) for name in rest),
    ]


def pair_marks(others: Sequence[Any], fast: int) -> list[Any]:
    """Pairs of all cases and all others: every third case is slow with one of the others, in turn, the other pairs full."""
    rest = [name for name in case_ids() if name not in STARTERS[:fast]]
    held_up = {(name, others[place % len(others)]) for place, name in enumerate(rest[::3])}
    marked = [(pair, pytest.mark.slow if pair in held_up else pytest.mark.full) for pair in product(rest, others)]
    return [*product(STARTERS[:fast], others), *(pytest.param(*pair, marks=mark) for pair, mark in marked)]
