"""How a run is worked through: up to a limit on calls and cost, divided among workers or parts, so many at a time, and
what it tells as it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maieutic.errors import BudgetReached

if TYPE_CHECKING:
    from maieutic.domain.episode import Usage
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from maieutic.errors import InputError, Interrupted

GO_ON = "add --resume to go on"


@dataclass(slots=True)
class Budget:
    """Counts calls and cost and says when to stop.

    Attributes:
        max_calls: Calls after which there is none; None for no limit.
        max_cost: Cost after which there is none, in the unit of `prices`; None for no limit.
        prices: Price of a million input and output tokens.
        calls: Made so far.
        cost: Of them.
    """

    max_calls: int | None = None
    max_cost: float | None = None
    prices: tuple[float, float] | None = None
    calls: int = 0
    cost: float = 0.0

    def check(self, go_on: str = GO_ON) -> None:
        """Raises `BudgetReached`, with what to do, where the limit is reached."""
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetReached(f"--max-calls {self.max_calls} is used up; {go_on}")
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetReached(f"--max-cost {self.max_cost:g} is used up; {go_on}")

    def take(self, go_on: str = GO_ON) -> None:
        """One more call. Raises `BudgetReached` where there is none left; it is not counted then."""
        self.check(go_on)
        self.calls += 1

    def count(self, usage: Usage | None) -> None:
        """What was used. Raises `BudgetReached` where that reaches the limit."""
        if usage is None:
            return
        self.calls += usage.calls
        into, out = self.prices or (0.0, 0.0)
        self.cost += ((usage.input_tokens or 0) * into + (usage.output_tokens or 0) * out) / 1e6
        self.check()


RAY = "ray"


@dataclass(frozen=True, slots=True)
class WorkersSpec:
    """Where the work is done.

    Attributes:
        count: Processes on this machine; 0 when a cluster does it.
        address: 'auto' for the Ray cluster this machine belongs to, or 'ray://HOST:PORT' of a Ray client server.
    """

    count: int = 0
    address: str | None = None

    @classmethod
    def read(cls, text: str) -> WorkersSpec:
        """`N`, `ray` or `ray://HOST:PORT`. Raises `InputError`."""
        if text == RAY:
            return cls(address="auto")
        if text.startswith(f"{RAY}://"):
            host, colon, port = text.removeprefix(f"{RAY}://").rpartition(":")
            if not (host and colon and port.isdecimal()):
                raise InputError(f"--workers expects ray://HOST:PORT, such as ray://head:10001, got {text!r}")
            return cls(address=text)
        if not text.isdecimal() or int(text) < 1:
            raise InputError(
                f"--workers expects a number of processes, 1 or more, ray or ray://HOST:PORT, got {text!r}"
            )
        return cls(count=int(text))


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of a run that is divided beforehand: every `of`-th item, beginning with number `part`, from 1."""

    part: int
    of: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """`I/N` with 1 ≤ I ≤ N. Raises `InputError`."""
        part, slash, of = text.partition("/")
        if not (slash and part.isdecimal() and of.isdecimal()) or not 1 <= int(part) <= int(of):
            raise InputError(f"--shard expects I/N with I from 1 to N, such as 2/8, got {text!r}")
        return cls(int(part), int(of))

    def has(self, place: int) -> bool:
        """Whether the item at this place, from 0, is in this part."""
        return place % self.of == self.part - 1

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"


Item = TypeVar("Item")
Result = TypeVar("Result")


async def pooled(do: Callable[[Item], Awaitable[Result]], items: Iterable[Item], at_once: int) -> list[Result]:
    """What `do` gives for each item, in their order, `at_once` at a time.

    The first exception stops all, but what is under way when a budget is used up is waited for: it is paid for.
    """
    import asyncio  # the command line needs the rest of this module, and no loop

    waiting, found = enumerate(items), dict[int, Result]()

    async def work() -> None:
        for place, item in waiting:
            found[place] = await do(item)
            await asyncio.sleep(0)  # what never waits lets the others go on, too

    tasks = [asyncio.ensure_future(work()) for _ in range(max(1, at_once))]
    try:
        await asyncio.gather(*tasks)
    except BudgetReached:
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return [found[place] for place in sorted(found)]


def useful_at_once(model: Any, most: int) -> int:
    """How many calls at once a model can use: what it says itself, one at least and `most` at most."""
    return max(1, min(most, int(getattr(model, "parallel", most))))


Tick = Callable[[int], None]
"""Told how many steps were done since it was last told."""
Watch = Callable[[int, int, str], None]
"""Told after each step how many are done, how many there are, and the name of what is done."""
FIRST_SECONDS = 3.0
EVERY_SECONDS = 10.0
RATE_OVER_SECONDS = 300.0
_FIRST_STEPS = 2
"""Steps of a fresh run from which no pace is taken: they wait for models and libraries to be loaded."""


class Pace:
    """When to tell how long the rest takes, at the pace of the last five minutes, so that what is read back soon counts
    no more."""

    def __init__(self, done: int) -> None:
        self._marks = deque([(time.monotonic(), done)])

    def tell_left(self, done: int, total: int) -> float | None:
        """The seconds left when a line is due, the first after three seconds and then every ten; None before."""
        now = time.monotonic()
        while len(self._marks) > 1 and now - self._marks[0][0] > RATE_OVER_SECONDS:
            self._marks.popleft()
        if self._marks[0][1] == 0 and 0 < done <= _FIRST_STEPS:
            self._marks = deque([(now, done)])
        since, before = self._marks[0]
        due = FIRST_SECONDS if len(self._marks) == 1 else EVERY_SECONDS
        if now - self._marks[-1][0] < due or done <= before:
            return None
        self._marks.append((now, done))
        return (total - done) * (now - since) / (done - before)


@contextmanager
def stoppable(kept: Callable[[], str]) -> Iterator[None]:
    """A run that Ctrl-C stops with what is kept of it and how to go on: 'interrupted' and what `kept` says."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted{kept()}") from None
