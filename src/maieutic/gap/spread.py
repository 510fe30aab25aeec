"""Runs the battery of one therapist on many workers: the driver keeps tape and budget, the workers ask.

Units that read the same whole sessions are one order, so that no session is played twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import orjson

from maieutic.evaluation.run import EarlyStop
from maieutic.gap.battery import Asked, Request, manifest, servable, work_of
from maieutic.gap.family import Observation, Unit
from maieutic.gap.recording_client import RecordingClient, ReplayCache, counted_of
from maieutic.gap.run import Ticker, Work, observe
from maieutic.runs.journal import packed
from maieutic.runs.work import Budget, WorkersSpec
from maieutic.workers import Tell, crew_of, work
from maieutic.workers.team import agree

Name = tuple[str, str]
"""A unit: its family and its key."""


@dataclass(frozen=True, slots=True)
class Order:
    """Units to do on one desk; `lines` are what a tape holds of them already."""

    units: tuple[Name, ...]
    lines: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """What came of an order; `lines` and `ticks` since the last note."""

    seen: Mapping[str, tuple[Observation, ...]]
    lines: tuple[bytes, ...]
    ticks: int
    failed: int
    failure: str
    originals: Mapping[str, str | None]


class _Told(ReplayCache):
    """A tape that keeps what was put on it since it was last asked."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        super().__init__()
        for line in lines:
            self.add(line)
        self.new: list[bytes] = []

    def _keep(self, line: dict[str, Any]) -> None:
        super()._keep(line)
        if hasattr(self, "new"):
            self.new.append(packed(line))

    def taken(self) -> tuple[bytes, ...]:
        """What is new."""
        new, self.new = tuple(self.new), []
        return new


class Asking:
    """The job of a worker of `gap`."""

    def __init__(self, request: Request, arm: str, here: Mapping[str, Any], known: tuple[bytes, ...]) -> None:
        """Raises `InputError` where this machine has another battery, or lacks the therapist."""
        made = servable(request)
        agree(here, orjson.loads(orjson.dumps(manifest(request, made))))
        self._therapist, _ = made[arm]
        self._request, self._known = request, known
        self._units = {(family, unit.key): unit for family, units in work_of(request).units.items() for unit in units}
        self._stop = EarlyStop(most=request.stop_after)

    async def do(self, order: Order, tell: Tell) -> Done:
        """Does the units one after another, asking before every new call."""
        cache, ticks = _Told([*self._known, *order.lines]), 0

        def tick() -> None:
            nonlocal ticks
            ticks += 1

        async def allow() -> None:
            nonlocal ticks
            note, ticks = (cache.taken(), ticks), 0
            await tell(note)

        seed, seconds = self._request.extent.seed, self._request.seconds
        client = RecordingClient(self._therapist, cache, seed, seconds, tick=tick, allow=allow, stop=self._stop)
        units: defaultdict[str, list[Unit]] = defaultdict(list)
        for name in order.units:
            units[name[0]].append(replace(self._units[name], when=None))
        seen = await observe(client, Work(units, (), {}), concurrency=1)
        return Done(seen, cache.taken(), ticks, client.failed, client.failure, client.originals)


def orders_of(plan: Work) -> list[list[Order]]:
    """Units in groups that share sessions; those of one case share them, the others stand alone."""
    shared: defaultdict[str, list[Name]] = defaultdict(list)
    alone: list[Order] = []
    home: dict[str, str] = {}
    for family, units in plan.units.items():
        for unit in units:
            cases = sorted({spec.case for spec in unit.specs})
            if not cases:
                alone.append(Order(((family, unit.key),)))
                continue
            roots = {_root(home, case) for case in cases}
            first = min(roots)
            for root in roots - {first}:
                home[root] = first
                shared[first] += shared.pop(root, [])
            shared[first].append((family, unit.key))
    return [[Order(tuple(names))] for names in shared.values()] + [[one] for one in alone]


def _root(home: Mapping[str, str], case: str) -> str:
    while case in home:
        case = home[case]
    return case


def in_order(plan: Work, found: Mapping[Name, Observation]) -> dict[str, tuple[Observation, ...]]:
    """What was seen of all units, in their order."""
    return {name: tuple(found[name, unit.key] for unit in units) for name, units in plan.units.items()}


@dataclass(slots=True)
class _Books:
    """What the driver keeps of one therapist's battery."""

    cache: ReplayCache
    budget: Budget
    tick: Callable[[], None]
    calls: int = 0
    open: dict[tuple[Name, ...], list[bytes]] = field(default_factory=dict)

    def take(self, order: Order, lines: Sequence[bytes], ticks: int) -> None:
        """Puts lines on the tape and counts replies."""
        for line in lines:
            self.cache.add(line)
            self.open.setdefault(order.units, []).append(line)
        for _ in range(ticks):
            self.tick()

    def asked(self, order: Order, note: tuple[tuple[bytes, ...], int]) -> None:
        """Takes a note down, which asks for one more call."""
        self.take(order, *note)
        self.budget.take()
        self.calls += 1

    def again(self, order: Order) -> Order:
        return Order(order.units, (*order.lines, *self.open.pop(order.units, ())))


def on_workers(spec: WorkersSpec, tell: Callable[[str], None]) -> Callable[..., Asked]:
    """Asks a therapist on workers instead of in this process; `tell` hears when they are ready, and of each that is
    lost."""

    def ask(
        request: Request,
        arm: str,
        here: Mapping[str, Any],
        plan: Work,
        cache: ReplayCache,
        budget: Budget,
        tick: Ticker,
    ) -> Asked:
        books = _Books(cache, budget, tick)
        found: dict[Name, Observation] = {}
        failed, failure, originals = 0, "", dict[str, str | None]()
        with crew_of(spec, partial(Asking, request, arm, here, tuple(cache.lines())), tell) as crew:

            def put(stage: Work) -> None:
                nonlocal failed, failure, originals
                for order, done in work(
                    crew, orders_of(stage), at_once=request.concurrency, taken=books.asked, again=books.again, tell=tell
                ):
                    books.take(order, done.lines, done.ticks)
                    found.update({(family, one.key): one for family, mine in done.seen.items() for one in mine})
                    failed, failure = failed + done.failed, done.failure or failure
                    originals |= done.originals

            put(plan.at_once)
            wanted = plan.wanted(in_order(plan.at_once, found))
            tick.at_most(wanted.total)
            put(wanted.later)
        return Asked(in_order(wanted, found), books.calls, failed, failure, counted_of(originals))

    return ask
