"""What a battery is asked for, how it runs for one therapist, and what came of it and was made of it.

Units of all families are done at once, each observed, nothing lost on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from maieutic.errors import InputError, ModelError
from maieutic.evaluation.plan import Settings, without_secrets
from maieutic.gap.deciding import Leading, decided, leading
from maieutic.gap.family import Family, Observation, Profile, SamplePlan, Unit
from maieutic.gap.judging import READS, Judged
from maieutic.gap.recording_client import NotApplicable, RecordingClient, SessionSpec, Unusable, reason_of
from maieutic.runs.work import Watch, pooled


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


class Ticker:
    """Tells how far a therapist is; what is read back from the tape is told in one step, so that no pace is taken from
    it."""

    def __init__(self, watch: Watch, total: int, therapist: str, kept: int) -> None:
        """`total` replies at most, `kept` of which are on the tape."""
        self._watch, self._total, self._therapist, self._kept, self._done = watch, total, therapist, kept, 0
        if not kept:
            watch(0, total, therapist)

    def __call__(self) -> None:
        self._done += 1
        if self._done >= self._kept:
            self._watch(self._done, self._total, self._therapist)

    def at_most(self, total: int) -> None:
        """So many replies it is, now that the first stage is over."""
        self._total = total


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking one therapist: observations by family, new calls, failed replies and why, what was
    cleaned."""

    seen: dict[str, tuple[Observation, ...]]
    calls: int
    failed: int
    failure: str
    cleaned: Mapping[str, int]


Spread = Callable[..., Asked]
"""Asks elsewhere: request, spec, manifest, work, tape, budget, tick → what came of it."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for.

    Attributes:
        therapists: Arms, `[NAME=]THERAPIST[:MODEL]` or `[NAME=]path.py:make`.
        families: Ids; empty for all.
        extent: How much of each.
        concurrency: Units at once.
        most_calls: New calls at most, for all therapists together; None for no limit.
        seconds: A reply that takes longer is missing.
        judge: Spec of a model that reads some of the replies beside the embedded readers; None for none.
        admitted: The file that admits the judge as the reader itself; None leaves it a second opinion.
        settings: How models are asked for their replies, by arm; '' for every arm that takes them.
        stop_after: Equal failures in a row after which a therapist is asked no more; None for 5 before anything came
            and 20 after.
        preflight: Ask every model once before the run, and stop where one gives nothing usable.
    """

    therapists: tuple[str, ...]
    families: tuple[str, ...]
    extent: SamplePlan
    concurrency: int = 8
    most_calls: int | None = None
    seconds: float = 120.0
    judge: str | None = None
    settings: Mapping[str, Settings] = field(default_factory=dict)
    stop_after: int | None = None
    preflight: bool = True
    admitted: Path | None = None

    def recorded(self) -> dict[str, Any]:
        """The words of the command as a manifest keeps them; addresses lose their passwords."""
        return {
            "therapists": [without_secrets(text) for text in self.therapists],
            "families": list(self.families),
            "extent": asdict(self.extent),
            "judge": self.judge,
            "admitted": None if self.admitted is None else str(self.admitted),
            "settings": {name: one.given for name, one in self.settings.items()},
        }


@dataclass(frozen=True, slots=True)
class Result:
    """The battery of one therapist.

    Attributes:
        therapist: The name of the arm. calls: New calls made in this run. seen: Observations by family.
        extent: Name of the extent. judged: What a judge made of some replies, where one was given.
        failed: Replies that a model did not give. failure: Why it last did not.
        cleaned: How many replies and answers each kind of markup was cleaned in before they were read.
        readers: Which judge read in place of an embedded reader, by reader.
    """

    therapist: str
    profiles: tuple[Profile, ...]
    seen: dict[str, tuple[Observation, ...]]
    calls: int
    extent: str
    judged: tuple[Judged, ...] = ()
    failed: int = 0
    failure: str = ""
    cleaned: Mapping[str, int] = field(default_factory=dict)
    readers: Mapping[str, str] = field(default_factory=dict)

    def reader_of(self, family: str) -> str | None:
        """The judge that read a family's replies, with what it read; None where only embedded readers did."""
        mine = [name for name in READS.get(family, ()) if name in self.readers]
        return f"{self.readers[mine[0]]} ({', '.join(mine)})" if mine else None

    @property
    def leading(self) -> Leading:
        return leading(self.profiles)

    @property
    def principal(self) -> Profile | None:
        return self.leading.first

    def missing(self, family: str) -> Counter[str]:
        """Reasons of a family's missing units, with counts; not applicable ones left out, and the quoted answer cut
        off."""
        reasons = (o.missing for o in self.seen[family] if o.data is None and o.applicable and o.missing)
        return Counter(reason.partition(" from '")[0].partition(' from "')[0] for reason in reasons)

    @property
    def no_result(self) -> str:
        """Why there is no profile, where not one unit gave anything usable; else ''."""
        every = [o for mine in self.seen.values() for o in mine if o.applicable]
        if not every or any(o.data is not None for o in every):
            return ""
        first = next((o.missing for o in every if o.missing), "no reason recorded")
        return f"no result for {self.therapist}: all {len(every)} replies and sessions are missing. {first}"

    def inapplicable(self, family: str) -> int:
        """Units that need a door which the therapist lacks."""
        return sum(not o.applicable for o in self.seen[family])
