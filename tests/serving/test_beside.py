"""Turns at once: none waits for another that is longer, and each says what it says alone."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from maieutic.domain.episode import Session, Turn
from maieutic.reading.store import Store
from maieutic.serving.offers import offered
from maieutic.serving.request import Said
from maieutic.serving.spoken import Served, beside
from maieutic.therapists.socratic import SocraticTherapist

ANSWERS = (
    "I froze in the meeting.", "That they all saw I am useless.", "Ashamed, mostly. My sister noticed.", "Eighty.",
    "Because my boss looked away when I spoke, and then nobody asked me anything for the rest of the hour.",
)  # fmt: skip


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="with one core there is nothing beside")
async def test_two_turns_are_made_at_once() -> None:
    both = threading.Barrier(2)

    async def turn() -> int:
        return both.wait(timeout=20)

    assert sorted(await asyncio.gather(beside(turn), beside(turn))) == [0, 1]


async def test_what_goes_wrong_beside_is_raised_here() -> None:
    async def turn() -> None:
        raise ValueError("no words")

    with pytest.raises(ValueError, match="no words"):
        await beside(turn)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="with one core there is nothing beside")
async def test_what_waits_for_something_is_not_made_beside() -> None:
    with pytest.raises(RuntimeError, match="waits for something"):
        await beside(lambda: asyncio.sleep(0))


@pytest.mark.parametrize("model", ["maieutic/socratic", "maieutic/patient/gethin"])
async def test_conversations_at_once_say_what_each_says_alone(model: str) -> None:
    def served() -> Served:  # with nothing remembered
        return offered(cases=("gethin",)).get(model)

    async def talk(one: Served, seed: int) -> list[str]:
        said: list[Said] = []
        for answer in ANSWERS[seed % 2 :]:
            said.append(Said(False, f"{answer} {seed}" if seed % 3 else answer))
            spoken = await one.reply(said, seed, strict=True)
            assert spoken.foreign == ()
            said.append(Said(True, spoken.turn.text))
            if spoken.turn.ending is not None:
                break
        return [turn.text for turn in said]

    together = served()
    at_once = await asyncio.gather(*(talk(together, seed) for seed in range(8)))
    assert at_once == [await talk(served(), seed) for seed in range(8)]


def test_a_tracker_that_forgets_under_the_hands_of_many_threads_believes_the_same() -> None:
    turns = tuple(Turn("patient", answer) for answer in ANSWERS)
    sessions = [Session(turns[:length], 0) for length in range(1, len(turns) + 1)] * 20
    tracker = SocraticTherapist().tracker
    forgetful = replace(tracker, _seen=Store(1), _ears=Store(1), ear=replace(tracker.ear, _graded=Store(1)))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(forgetful.belief, sessions))
    assert [one.as_trace() for one in found] == [tracker.belief(session).as_trace() for session in sessions]
