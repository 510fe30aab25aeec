"""A team of workers: what one is told, where it sits, and how work is divided, handed out and collected."""

from __future__ import annotations

import asyncio
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from maieutic.errors import BudgetReached, InputError, MaieuticError, WorkersLost

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


class Seat:
    """One worker, however it is reached: `exchange` is all that is ever asked of it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._under_way: dict[int, asyncio.Task[None]] = {}
        self._notes: list[tuple[int, Any]] = []
        self._told: list[asyncio.Future[None]] = []
        self._on_their_way: list[asyncio.Future[None]] = []
        self._done: list[tuple[int, Any]] = []
        self._faults: list[tuple[int, Fault]] = []
        self._stopped: list[int] = []
        self._stop = False
        self._news = asyncio.Event()

    async def exchange(self, down: Down) -> Up:
        """Take orders, and answer as soon as there is something to say; at once when nothing is under way."""
        self._stop = self._stop or down.stop
        for note in self._on_their_way:
            if not note.done():
                note.set_result(None)
        for number, order in down.orders:
            self._under_way[number] = asyncio.ensure_future(self._carry_out(number, order))
        if self._under_way:
            await self._news.wait()
        up = Up(tuple(self._notes), tuple(self._done), tuple(self._faults), tuple(self._stopped))
        self._on_their_way = self._told
        self._notes, self._told, self._done, self._faults, self._stopped = [], [], [], [], []
        self._news.clear()
        return up

    async def _carry_out(self, number: int, order: Any) -> None:
        async def tell(note: Any) -> None:
            taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._notes.append((number, note))
            self._told.append(taken)
            self._news.set()
            await taken
            if self._stop:
                raise BudgetReached("the run is to stop")

        try:
            result = await self._job.do(order, tell)
            self._done.append((number, result))
        except BudgetReached:
            self._stopped.append(number)
        except Exception as error:
            self._faults.append((number, Fault.of(error)))
        finally:
            del self._under_way[number]
            self._news.set()


Item = TypeVar("Item")


def work(
    crew: Crew,
    orders: Iterable[Sequence[Item]],
    *,
    at_once: int,
    taken: Callable[[Item, Any], None] = lambda order, note: None,
    wanted: Callable[[Item], bool] = lambda order: True,
    again: Callable[[Item], Item] = lambda order: order,
    tell: Callable[[str], None] = lambda line: None,
) -> Iterator[tuple[Item, Any]]:
    """Each order with its result, as they come.

    Args:
        orders: In groups: orders that share what a worker has to make ready, the more the nearer they stand. A worker
            stays with a group as long as there is another group for the others; who helps it begins at the other end.
        at_once: Orders under way in the whole crew at most.
        taken: Takes down a note; the worker goes on when it has returned. What it raises stops the run: what is in
            flight is waited for and taken down, and then it is raised.
        wanted: Asked before an order is given out, since it may depend on how earlier ones went.
        again: What is given out instead of an order whose worker was lost.
        tell: Told of a worker that was lost.

    Raises:
        WorkersLost: none is left. MaieuticError: what broke in a worker, and what `taken` raised.
    """
    return _Books(crew, orders, at_once, taken, wanted, again, tell).run()


class _Queue:
    """Orders in groups, and which worker is at which."""

    def __init__(self, orders: Iterable[Sequence[Any]], wanted: Callable[[Any], bool]) -> None:
        self._groups = [deque(group) for group in orders]
        self._at: dict[int, deque[Any]] = {}
        self._helping: set[int] = set()
        self._back: deque[Any] = deque()
        self._wanted = wanted

    def next(self, seat: int) -> Any | None:
        """The next order for a worker; None when nothing waits."""
        if self._back:
            return self._back.popleft()
        while True:
            mine = self._at.get(seat) or self._begin(seat)
            if mine is None:
                return None
            order = mine.pop() if seat in self._helping else mine.popleft()
            if self._wanted(order):
                return order

    def put_back(self, orders: Iterable[Any]) -> None:
        self._back.extend(orders)

    def _begin(self, seat: int) -> deque[Any] | None:
        """A group that nobody is at, else the one with most left, to help there."""
        self._groups = [group for group in self._groups if group]
        taken = {id(group) for group in self._at.values()}
        alone = next((group for group in self._groups if id(group) not in taken), None)
        mine = alone if alone is not None else max(self._groups, key=len, default=None)
        if mine is not None:
            self._at[seat] = mine
            (self._helping.add if alone is None else self._helping.discard)(seat)
        return mine


class _Books:
    """Who has which orders."""

    def __init__(  # one argument for each of `work`
        self,
        crew: Crew,
        orders: Iterable[Sequence[Any]],
        at_once: int,
        taken: Callable[[Any, Any], None],
        wanted: Callable[[Any], bool],
        again: Callable[[Any], Any],
        tell: Callable[[str], None],
    ) -> None:
        self._crew, self._queue, self._at_once = crew, _Queue(orders, wanted), at_once
        self._taken, self._again, self._tell = taken, again, tell
        self._open: dict[int, dict[int, Any]] = {seat: {} for seat in range(len(crew.hosts))}
        self._asked: set[int] = set()
        self._number = 0
        self._stop: BaseException | None = None

    def run(self) -> Iterator[tuple[Any, Any]]:
        while True:
            self._give_out()
            if not self._asked:
                break
            for seat, answer in self._crew.answers():
                self._asked.discard(seat)
                if isinstance(answer, Lost):
                    self._gone(seat, answer)
                else:
                    yield from self._take(seat, answer)
        if self._stop is not None:
            raise self._stop

    def _give_out(self) -> None:
        """Says something to every worker that is not busy answering and has, or gets, something to do."""
        free = [seat for seat in self._open if seat not in self._asked]
        new: dict[int, list[tuple[int, Any]]] = {seat: [] for seat in free}
        room = self._at_once - sum(map(len, self._open.values()))
        each = -(-self._at_once // max(1, len(self._open)))
        while self._stop is None and room > 0 and free:
            seat = min(free, key=lambda one: len(self._open[one]))
            if len(self._open[seat]) >= each:
                break
            order = self._queue.next(seat)
            if order is None:
                break
            self._number += 1
            self._open[seat][self._number] = order
            new[seat].append((self._number, order))
            room -= 1
        for seat in free:
            if self._open[seat]:
                self._crew.send(seat, Down(tuple(new[seat]), self._stop is not None))
                self._asked.add(seat)

    def _take(self, seat: int, up: Up) -> Iterator[tuple[Any, Any]]:
        mine = self._open[seat]
        for number, note in up.notes:
            try:
                self._taken(mine[number], note)
            except MaieuticError as error:
                self._stop = self._stop or error
        for number, fault in up.faults:
            del mine[number]
            self._stop = self._stop or fault.error(self._crew.hosts[seat])
        for number in up.stopped:
            del mine[number]
        for number, result in up.done:
            yield mine.pop(number), result

    def _gone(self, seat: int, answer: Lost) -> None:
        orders, host = self._open.pop(seat), self._crew.hosts[seat]
        self._queue.put_back(self._again(order) for order in orders.values())
        self._tell(
            f"a worker on {host} was lost ({answer.why}); what it was doing ({len(orders)}) goes on elsewhere, "
            f"{len(self._open)} workers are left"
        )
        if not self._open and self._stop is None:
            self._stop = WorkersLost(
                f"no worker is left; the last was on {host} ({answer.why}). What was said is kept: add --resume "
                "to go on"
            )
