"""Runs the battery for one therapist: units of all families at once, each observed, nothing lost on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from maieutic.errors import InputError, ModelError
from maieutic.gap.deciding import decided
from maieutic.gap.family import Family, Observation, Profile, SamplePlan, Unit
from maieutic.gap.recording_client import NotApplicable, RecordingClient, SessionSpec, Unusable, reason_of
from maieutic.runs.work import pooled


@dataclass(frozen=True, slots=True)
class Work:
    """What a battery consists of.

    Attributes:
        units: By family id, in the order of the battery.
        sittings: Whole sessions, each once.
        calls: Replies and answers of each family at most, without whole sessions.
    """

    units: Mapping[str, Sequence[Unit]]
    specs: tuple[SessionSpec, ...]
    calls: Mapping[str, int]

    @property
    def at_once(self) -> Work:
        """What is done whatever comes of it."""
        return Work.of({name: [u for u in mine if u.when is None] for name, mine in self.units.items()})

    @property
    def later(self) -> Work:
        """What is done after the rest."""
        rest = {name: [u for u in mine if u.when is not None] for name, mine in self.units.items()}
        return Work.of({name: mine for name, mine in rest.items() if mine})

    def wanted(self, seen: Mapping[str, Sequence[Observation]]) -> Work:
        """All that is done, by what was seen of the first stage: that, and after it what its spread asks for."""
        more = self.later.units
        return Work.of(
            {
                name: [*mine, *(u for u in more.get(name, ()) if u.when is not None and u.when(seen[name]))]
                for name, mine in self.at_once.units.items()
            }
        )

    @classmethod
    def of(cls, units: Mapping[str, Sequence[Unit]]) -> Work:
        """The units with the sessions that they read, each once, and their calls."""
        specs = dict.fromkeys(s for mine in units.values() for unit in mine for s in unit.specs)
        return cls(units, tuple(specs), {name: sum(u.calls for u in mine) for name, mine in units.items()})

    @property
    def total(self) -> int:
        """Replies and answers at most, whole sessions included."""
        earlier = {s for one in self.specs for s in _with_earlier(one)}
        return sum(self.calls.values()) + sum(s.turns for s in earlier)


def _with_earlier(spec: SessionSpec) -> list[SessionSpec]:
    return [SessionSpec(spec.case, spec.seed, spec.turns, number) for number in range(1, spec.number + 1)]


def plan(families: Sequence[Family], extent: SamplePlan) -> Work:
    """All units of all families. Raises `InputError` where two units of a family have one key."""
    units = {family.id: tuple(family.units(extent)) for family in families}
    for name, mine in units.items():
        if len({u.key for u in mine}) < len(mine):
            raise InputError(f"two units of family {name!r} have the same key")
    return Work.of(units)


async def observe(
    client: RecordingClient,
    work: Work,
    *,
    concurrency: int = 8,
    done: Callable[[str], None] = lambda family: None,
    total: Callable[[int], None] = lambda replies: None,
) -> dict[str, tuple[Observation, ...]]:
    """Does all units, `concurrency` at a time; observations come in the order of the units whatever ended first.

    Units that are done only where the others leave too wide an interval come after them, or not at all. A unit that
    gives nothing usable becomes a missing observation with the reason. `done` is told the family of every finished
    unit, `total` how many replies it is at most once the first stage is over. Raises `BudgetReached`, `StorageError`,
    `InputError`, and what is a bug.
    """
    seen = await _observe(client, work.at_once, concurrency, done)
    wanted = work.wanted(seen)
    total(wanted.total)
    more = await _observe(client, wanted.later, concurrency, done)
    return {name: (*mine, *more.get(name, ())) for name, mine in seen.items()}


async def _observe(
    client: RecordingClient, work: Work, concurrency: int, done: Callable[[str], None]
) -> dict[str, tuple[Observation, ...]]:
    async def one(named: tuple[str, Unit]) -> Observation:
        family, unit = named
        try:
            found = Observation(unit.key, await unit.work(client))
        except NotApplicable as missing:
            found = Observation(unit.key, None, str(missing), applicable=False)
        except (ModelError, Unusable) as missing:
            found = Observation(unit.key, None, reason_of(missing))
        done(family)
        return found

    every = [(name, unit) for name, units in work.units.items() for unit in units]
    found = iter(await pooled(one, every, concurrency))
    return {name: tuple(islice(found, len(units))) for name, units in work.units.items()}


def profiles(
    families: Sequence[Family], seen: Mapping[str, Sequence[Observation]], extent: SamplePlan
) -> tuple[Profile, ...]:
    """One profile a family, in the order of the battery, with intervals that hold for few items; pure."""
    return tuple(decided(family.profile(seen[family.id], extent)) for family in families)
