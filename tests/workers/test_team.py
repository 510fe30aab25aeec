"""Orders out, notes and results back: shares, limits, a stop, a lost worker, and what breaks in one."""

from __future__ import annotations

import asyncio
import socket
import warnings
from collections.abc import Iterator
from importlib import import_module
from math import factorial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from maieutic.errors import BudgetReached, InputError, UnknownName, WorkersLost
from maieutic.runs.work import Shard, WorkersSpec
from maieutic.workers import Tell, mapped, work
from maieutic.workers.ray_cluster import _connect
from maieutic.workers.team import Down, Fault, Lost, Seat, Up, agree


class Counting:
    """Tells as many notes as the order says, counting on from where it is told to."""

    def __init__(self) -> None:
        self.under_way = self.most = 0

    async def do(self, order: tuple[str, int, int], tell: Tell) -> str:
        name, first, last = order
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        for number in range(first, last):
            await asyncio.sleep(0)
            await tell(f"{name}{number}")
        self.under_way -= 1
        return name.upper()


class Breaking:
    async def do(self, order: Any, tell: Tell) -> None:
        raise UnknownName("case", "x", ["y"])


class InThisProcess:
    """A crew without processes: seats in one event loop; a seat named in `dies` is lost after so many answers."""

    def __init__(self, *jobs: Any, dies: dict[int, int] | None = None) -> None:
        self.loop = asyncio.new_event_loop()
        self.seats = [Seat(job) for job in jobs]
        self.hosts = tuple(f"host{number}" for number in range(len(jobs)))
        self.asked: dict[asyncio.Task[Up], int] = {}
        self.dies = dies or {}

    def send(self, seat: int, down: Down) -> None:
        self.asked[self.loop.create_task(self.seats[seat].exchange(down))] = seat

    def answers(self) -> list[tuple[int, Up | Lost]]:
        wait = asyncio.wait(self.asked, return_when=asyncio.FIRST_COMPLETED)
        ready, _ = self.loop.run_until_complete(wait)
        found: list[tuple[int, Up | Lost]] = []
        for task in ready:
            seat = self.asked.pop(task)
            if seat in self.dies:
                self.dies[seat] -= 1
            found.append((seat, Lost("unplugged") if self.dies.get(seat) == 0 else task.result()))
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.close()


def orders(count: int, notes: int = 3) -> Iterator[list[tuple[str, int, int]]]:
    yield [(chr(97 + number), 0, notes) for number in range(count)]


def test_every_order_is_done_once_and_every_note_is_taken_in_order() -> None:
    notes: list[str] = []
    with InThisProcess(Counting(), Counting()) as crew:
        done = list(work(crew, orders(5), at_once=4, taken=lambda order, note: notes.append(note)))
    assert sorted(result for _, result in done) == list("ABCDE")
    for name in "abcde":
        assert [note for note in notes if note[0] == name] == [f"{name}{number}" for number in range(3)]


def test_no_more_orders_are_under_way_than_at_once_over_all_workers() -> None:
    jobs = Counting(), Counting(), Counting()
    with InThisProcess(*jobs) as crew:
        list(work(crew, orders(9), at_once=2))
    assert sum(job.most for job in jobs) <= 2


def test_a_worker_stays_with_a_group_while_there_are_others() -> None:
    groups = [[(name, number, number) for number in range(4)] for name in "ab"]
    seen: list[tuple[int, str]] = []

    class Marking:
        def __init__(self, seat: int) -> None:
            self.seat = seat

        async def do(self, order: tuple[str, int, int], tell: Tell) -> None:
            seen.append((self.seat, order[0]))

    with InThisProcess(Marking(0), Marking(1)) as crew:
        list(work(crew, groups, at_once=2))
    assert set(seen) == {(0, "a"), (1, "b")}


def test_who_helps_with_a_group_begins_at_its_other_end() -> None:
    seen: dict[int, list[str]] = {0: [], 1: []}

    class Marking:
        def __init__(self, seat: int) -> None:
            self.seat = seat

        async def do(self, order: tuple[str, int, int], tell: Tell) -> None:
            seen[self.seat].append(order[0])

    with InThisProcess(Marking(0), Marking(1)) as crew:
        list(work(crew, orders(6), at_once=2))
    assert sorted(seen[0] + seen[1]) == list("abcdef")
    assert max(seen[0]) < min(seen[1]) and seen[1][0] == "f"


def test_what_a_lost_worker_did_goes_on_elsewhere_from_the_last_note_taken() -> None:
    taken: dict[str, list[str]] = {}
    told: list[str] = []
    with InThisProcess(Counting(), Counting(), dies={1: 3}) as crew:
        done = list(
            work(
                crew, orders(4, notes=5), at_once=4, tell=told.append,
                taken=lambda order, note: taken.setdefault(order[0], []).append(note),
                again=lambda order: (order[0], len(taken.get(order[0], [])), order[2]),
            )
        )  # fmt: skip
    assert sorted(result for _, result in done) == list("ABCD")
    assert taken == {name: [f"{name}{number}" for number in range(5)] for name in "abcd"}
    assert told == [
        "a worker on host1 was lost (unplugged); what it was doing (2) goes on elsewhere, 1 workers are left"
    ]


def test_when_the_last_worker_is_lost_the_run_ends_and_can_be_resumed() -> None:
    with InThisProcess(Counting(), dies={0: 1}) as crew, pytest.raises(WorkersLost, match="add --resume"):
        list(work(crew, orders(2), at_once=2))


def test_a_stop_takes_down_what_is_in_flight_and_begins_nothing_more() -> None:
    notes: list[str] = []

    def taken(order: Any, note: str) -> None:
        notes.append(note)
        if len(notes) >= 3:
            raise BudgetReached("enough")

    with InThisProcess(Counting(), Counting()) as crew, pytest.raises(BudgetReached, match="enough"):
        list(work(crew, orders(20), at_once=4, taken=taken))
    assert 3 <= len(notes) <= 3 + 4


def test_what_breaks_in_a_worker_is_told_with_its_machine_and_its_kind() -> None:
    with (
        InThisProcess(Breaking()) as crew,
        pytest.raises(UnknownName, match=r"^worker on host0: no case named 'x'. Known: y$"),
    ):
        list(work(crew, [[1]], at_once=1))


def test_orders_that_are_no_longer_wanted_are_not_given_out() -> None:
    done: list[str] = []
    with InThisProcess(Counting()) as crew:
        for order, _ in work(crew, orders(6), at_once=1, wanted=lambda order: len(done) < 2):
            done.append(order[0])
    assert done == ["a", "b"]


def test_mapped_gives_the_same_on_one_process_and_on_two() -> None:
    one: dict[int, int] = {}
    two: dict[int, int] = {}
    mapped(factorial, range(7), one.__setitem__, workers=1)
    mapped(factorial, range(7), two.__setitem__, workers=2)
    assert one == two == {number: factorial(number) for number in range(7)}


def test_what_is_mapped_may_run_a_loop_of_its_own_as_whoever_plays_sessions_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "import asyncio\n\nasync def _one(n):\n    return n + 1\n\ndef played(n):\n    return asyncio.run(_one(n))\n"
    (tmp_path / "own_loop.py").write_text(own, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found: dict[int, int] = {}
    mapped(import_module("own_loop").played, range(3), found.__setitem__, workers=2)
    assert found == {0: 1, 1: 2, 2: 3}


def test_a_bug_in_a_worker_travels_with_the_way_to_it() -> None:
    def bug() -> None:
        raise TypeError("oops")

    try:
        bug()
    except TypeError as error:
        told = str(Fault.of(error).error("host7"))
    assert "in a worker on host7" in told
    assert "in bug" in told


@pytest.mark.parametrize("text", ["0", "-1", "two", "ray://", "ray://head", "ray:/x", ""])
def test_workers_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--workers expects"):
        WorkersSpec.read(text)


@pytest.mark.parametrize("text", ["3/2", "0/2", "1", "a/b", "1/0", "-1/2", ""])
def test_shards_that_cannot_be_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--shard expects I/N"):
        Shard.read(text)


def test_shards_divide_everything_and_share_nothing() -> None:
    parts = [[place for place in range(20) if Shard(part, 3).has(place)] for part in (1, 2, 3)]
    assert sorted(place for part in parts for place in part) == list(range(20))


def test_what_differs_on_a_worker_is_named() -> None:
    with pytest.raises(InputError, match=r"^cases gethin is a there and b here; turns is 3 there and 4 here\."):
        agree({"cases": {"gethin": "b"}, "turns": 4}, {"cases": {"gethin": "a"}, "turns": 3})


def test_something_else_at_a_clusters_address_is_one_line_without_rays_own_warnings() -> None:
    def init(**_: Any) -> None:
        warnings.warn("Ray Client connection timed out.", UserWarning, stacklevel=1)
        raise ConnectionError("ray client connection timeout.")

    with socket.create_server(("127.0.0.1", 0)) as other, warnings.catch_warnings(record=True) as warned:
        address = f"ray://127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(
            InputError, match=rf"^the Ray cluster at {address}: ray client connection timeout\. Start one"
        ):
            _connect(SimpleNamespace(init=init), address)
    assert not warned
