"""What the one who gives out work and a worker say to each other, and what both must be.

The one who gives out work is the driver: it holds the run folder, the budget and the list of what is to be done. A
worker holds nothing: whatever must not be lost is told to the driver as a note, and the worker goes on with that order
only when the note was taken down. So a worker that is lost takes along at most what each of its orders was just doing.
"""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from maieutic.errors import InputError, MaieuticError

Tell = Callable[[Any], Awaitable[None]]
"""Tells the driver something and comes back when it was taken down. Raises `BudgetReached` when the run is to stop."""


class Job(Protocol):
    """What a worker does; made once in each worker."""

    async def do(self, order: Any, tell: Tell) -> Any:
        """Carry out one order; several may be under way at a time. What it returns goes to the driver."""
        ...


Maker = Callable[[], Job]
"""Makes the job in the worker: something that can be pickled, such as a function of a module or a `partial` of one."""


HERE = "this machine"


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception on its way from a worker: its class, where that can be found again, and its words."""

    kind: type[MaieuticError] | None
    words: str

    @classmethod
    def of(cls, error: BaseException) -> Fault:
        """What of an exception can travel; a bug travels with the way to it."""
        if isinstance(error, MaieuticError):
            return cls(type(error), str(error))
        return cls(None, "".join(traceback.format_exception(error)))

    def error(self, host: str) -> Exception:
        """The exception as the driver raises it, with the machine it came from where that is another one."""
        if self.kind is None:
            return RuntimeError(f"in a worker on {host}:\n{self.words}")
        # Some errors make their words out of parts; here the words are there already.
        error = self.kind.__new__(self.kind)
        error.args = (self.words if host == HERE else f"worker on {host}: {self.words}",)
        return error


@dataclass(frozen=True, slots=True)
class Down:
    """Driver to worker. It also says that all notes of the worker's last `Up` were taken down.

    Attributes:
        orders: (number, order) to begin with.
        stop: Finish what is in flight and begin nothing more.
    """

    orders: tuple[tuple[int, Any], ...] = ()
    stop: bool = False


@dataclass(frozen=True, slots=True)
class Up:
    """Worker to driver.

    Attributes:
        notes: (number of the order, note), in the order they were told.
        done: (number of the order, its result).
        faults: (number of the order, why it broke).
        stopped: Numbers of orders that were broken off because the run stops.
    """

    notes: tuple[tuple[int, Any], ...] = ()
    done: tuple[tuple[int, Any], ...] = ()
    faults: tuple[tuple[int, Fault], ...] = ()
    stopped: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker that will not answer any more, and why as far as that is known."""

    why: str


class Crew(Protocol):
    """The workers, however they are reached. Use it in a `with` block; it ends them."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Where each worker runs."""
        ...

    def send(self, seat: int, down: Down) -> None:
        """Say something to a worker that has answered what was said before."""
        ...

    def answers(self) -> list[tuple[int, Up | Lost]]:
        """What came back; waits for one at least."""
        ...

    def __enter__(self) -> Crew: ...

    def __exit__(self, *_: object) -> None: ...


def differing(here: Mapping[str, Any], there: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """What is not the same on a worker as on the driver, in words."""
    for key in sorted({*here, *there}):
        mine, theirs = here.get(key), there.get(key)
        if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            yield from differing(mine, theirs, f"{place}{key} ")
        elif mine != theirs:
            yield f"{place}{key} is {theirs} there and {mine} here"


def agree(here: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    """Raise `InputError` where a worker would not do the same run as the driver asks for."""
    told = list(differing(here, there))
    if told:
        more = f", and {len(told) - 3} more" if len(told) > 3 else ""
        raise InputError(f"{'; '.join(told[:3])}{more}. Install the same and put the same files on every machine")
