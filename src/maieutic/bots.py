"""A stranger's therapist, kept apart: in a thread of its own, with a limit on its time, and held to what it must
return."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import isawaitable
from typing import Any

from maieutic.domain.episode import Answer, Question, Session, Turn
from maieutic.errors import MaieuticError, ModelTimeout, WrongReply, raised

SECONDS = 120.0
"""A turn that takes longer is a failure, so that a bot that never answers holds nothing up."""
_LOOK = 0.05


class TooLong(Exception):
    """The limit was reached; a bot's own `TimeoutError` is another thing."""


@dataclass(eq=False)
class Worker:
    """An event loop in a thread of its own; code that blocks there holds up nobody else, and ends with the process.

    Attributes:
        moved: When a call last began or ended there; calls wait in line behind code that blocks.
    """

    moved: float = field(default_factory=time.monotonic)
    _loop: asyncio.AbstractEventLoop | None = None

    async def call(self, ask: Callable[[], Any], seconds: float) -> Any:
        """What a function returns, or what its coroutine does, run there. Raises `TooLong` after so many seconds."""
        began: list[float] = []
        ended = threading.Event()

        async def run() -> Any:
            began.append(time.monotonic())
            self.moved = began[0]
            try:
                return await _settled(ask())
            finally:
                self.moved = time.monotonic()
                ended.set()

        asked = time.monotonic()
        job = asyncio.run_coroutine_threadsafe(run(), self._running())
        waiting = asyncio.ensure_future(asyncio.wrap_future(job))
        try:
            while not waiting.done():
                since = began[0] if began else max(asked, self.moved)
                left = since + seconds - time.monotonic()
                # What has ended is on its way, and may stand in line behind code that blocks.
                if left <= 0 and not ended.is_set():
                    raise TooLong
                await asyncio.wait({waiting}, timeout=min(max(left, _LOOK), max(_LOOK, seconds / 20)))
            return waiting.result()
        finally:
            waiting.cancel()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, name="own bot", daemon=True).start()
        return self._loop


class OwnBot:
    """A therapist from a file. What it does in its turns cannot stop the others, and what it returns is checked.

    Everything else that it has (`needs`, `name` …) is as it is there. A bot that holds one of this package's models
    stays in the caller's thread, where that model's connections are; the model has a limit on its time.

    Attributes:
        seconds: A turn or an answer may take so long.
    """

    def __init__(self, bot: Any, place: str, *, seconds: float = SECONDS, worker: Worker | None = None) -> None:
        self.seconds = seconds
        self._bot = bot
        self._place = place
        self._worker = worker or Worker()

    @property
    def name(self) -> str:
        return str(self._bot.name)

    def wait_at_most(self, seconds: float) -> None:
        """Set the limit on a turn."""
        self.seconds = seconds

    async def respond(self, session: Session) -> Turn:
        """The bot's turn.

        Raises:
            ModelTimeout: It took too long.
            WrongReply: It is no turn of a therapist.
        """
        turn = await self._timed(self._bot.respond, session)
        if not isinstance(turn, Turn):
            raise WrongReply(
                f"{self._place} returned {_kind(turn)} from respond() where a Turn is expected: "
                "return maieutic.Turn('therapist', TEXT)"
            )
        if turn.speaker != "therapist":
            raise WrongReply(f"{self._place} returned a turn of the {turn.speaker!s}; its speaker must be 'therapist'")
        if not isinstance(turn.text, str):
            raise WrongReply(f"{self._place} returned a Turn whose text is {_kind(turn.text)}, not a string")
        return turn

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._bot, name)
        if name == "answer":
            return self._answer
        if name == "informed":
            return lambda **known: OwnBot(found(**known), self._place, seconds=self.seconds, worker=self._worker)
        return found

    async def _answer(self, question: Question, session: Session) -> Answer:
        found = await self._timed(self._bot.answer, question, session)
        if not isinstance(found, Answer):
            raise WrongReply(f"{self._place} returned {_kind(found)} from answer() where an Answer is expected")
        return found

    async def _timed(self, ask: Callable[..., Any], *given: Any) -> Any:
        try:
            if getattr(self._bot, "model", None) is None:
                return await self._worker.call(lambda: ask(*given), self.seconds)
            return await _within(ask(*given), self.seconds)
        except TooLong as error:
            raise ModelTimeout(
                f"{self._place} gave nothing within {self.seconds:g} s; raise the limit with --timeout if it "
                "needs longer"
            ) from error
        except (MaieuticError, asyncio.CancelledError):
            raise
        except Exception as error:
            raise WrongReply(f"{self._place} failed with {raised(error)}") from error


async def _settled(found: Any) -> Any:
    return await found if isawaitable(found) else found


async def _within(found: Any, seconds: float) -> Any:
    try:
        async with asyncio.timeout(seconds) as limit:
            return await _settled(found)
    except TimeoutError as error:
        if limit.expired():
            raise TooLong from error
        raise


def _kind(value: object) -> str:
    return "nothing (None)" if value is None else f"a {type(value).__name__}"
