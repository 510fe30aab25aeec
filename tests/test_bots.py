"""A stranger's bot cannot hang a run, and what it returns wrongly is one clear line."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from maieutic.bots import OwnBot
from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.errors import ModelTimeout, WrongReply
from maieutic.registry import load_therapist


class Bot:
    """Does what it is told."""

    name = "bot"

    def __init__(self, does: Any) -> None:
        self.does = does

    def respond(self, session: Session) -> Any:
        return self.does(session)


async def sleeps(session: Session) -> Any:
    await asyncio.sleep(3600)


def blocks(session: Session) -> Any:
    time.sleep(2)


async def breaks(session: Session) -> Any:
    raise KeyError("mood")


async def gives_up(session: Session) -> Any:
    raise TimeoutError("my own server")


def returning(value: Any) -> Any:
    async def does(session: Session) -> Any:
        return value

    return does


WRONG = {
    "a string": (returning("What happened?"), "returned a str from respond() where a Turn is expected"),
    "nothing": (returning(None), "returned nothing (None) from respond() where a Turn is expected"),
    "another type": (returning({"text": "Hm"}), "returned a dict from respond()"),
    "the other speaker": (returning(Turn("patient", "Hm")), "its speaker must be 'therapist'"),
    "no text": (returning(Turn("therapist", None)), "whose text is nothing (None)"),  # type: ignore[arg-type]
    "an exception": (breaks, "bot.py:make failed with KeyError: 'mood' (test_bots.py, line"),
    "its own time-out": (gives_up, "failed with TimeoutError: my own server"),
}


@pytest.mark.parametrize(("does", "says"), WRONG.values(), ids=WRONG)
async def test_what_is_no_turn_is_one_clear_line(does: Any, says: str) -> None:
    with pytest.raises(WrongReply) as caught:
        await OwnBot(Bot(does), "bot.py:make").respond(Session())
    assert says in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("does", [sleeps, blocks])
async def test_a_bot_that_sleeps_hangs_nothing(does: Any) -> None:
    bot = OwnBot(Bot(does), "bot.py:make", seconds=0.1)
    replies = await asyncio.gather(*(bot.respond(Session()) for _ in range(3)), return_exceptions=True)
    assert all(isinstance(reply, ModelTimeout) for reply in replies)
    assert "gave nothing within 0.1 s; raise the limit with --timeout" in str(replies[0])


async def test_a_bot_that_is_not_async_works_too() -> None:
    def says(session: Session) -> Turn:
        return Turn("therapist", "What happened?")

    assert (await OwnBot(Bot(says), "bot.py:make").respond(Session())).text == "What happened?"


async def test_calls_that_wait_behind_one_that_blocks_are_given_their_own_time() -> None:
    def slow(session: Session) -> Turn:
        time.sleep(0.2)
        return Turn("therapist", "Hm?")

    bot = OwnBot(Bot(slow), "bot.py:make", seconds=0.6)
    replies = await asyncio.gather(*(bot.respond(Session()) for _ in range(6)))  # 1.2 s in all
    assert len(replies) == 6


async def test_everything_else_of_a_bot_is_as_it_is_there() -> None:
    class Rich(Bot):
        needs = ("case",)

        async def answer(self, question: Question, session: Session) -> Any:
            return Answer("80") if question.id == "right" else "80"

    bot = OwnBot(Rich(sleeps), "bot.py:make")
    assert bot.name == "bot" and bot.needs == ("case",)
    assert (await bot.answer(Question("right", "?"), Session())).text == "80"
    with pytest.raises(WrongReply, match="where an Answer is expected"):
        await bot.answer(Question("wrong", "?"), Session())
    assert getattr(OwnBot(Bot(sleeps), "bot.py:make"), "answer", None) is None


def test_a_bot_from_a_file_is_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("class Mine:\n    name = 'mine'\n\n    async def respond(self, session):\n        return 7\n")
    with pytest.raises(WrongReply, match=r"mine\.py:Mine returned a int"):
        asyncio.run(load_therapist(f"{path}:Mine").respond(Session()))
