"""The driver's side: gives out orders, takes notes down, keeps within the limit, and goes on when a worker is lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from maieutic.errors import MaieuticError, WorkersLost
from maieutic.workers.contract import Crew, Down, Lost, Up

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
