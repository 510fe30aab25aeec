"""What can be compared: the arms of run folders, and people's sessions as an arm of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maieutic.domain.episode import Episode
from maieutic.errors import InputError, UnknownName
from maieutic.evaluation.findings import plural
from maieutic.evaluation.plan import REFERENCE

UNFINISHED = "unfinished"
EVALUATE, TOURNAMENT = "evaluate", "tournament"


@dataclass(frozen=True, slots=True)
class Source:
    """One run, or one set of people's sessions.

    Attributes:
        name: As the user gave it.
        manifest: What made it; for people only the cases.
        episodes: All of them, sorted by key.
        people: Humans were the therapists; a session then has no seed, and is paired by case.
        unfinished: Sessions that its plan names and its journal does not hold to their end.
    """

    name: str
    manifest: Mapping[str, Any]
    episodes: tuple[Episode, ...]
    people: bool = False
    unfinished: int = 0

    @property
    def therapists(self) -> tuple[str, ...]:
        """The arms but the one without a session, sorted."""
        return tuple(sorted({e.key.therapist for e in self.episodes} - {REFERENCE}))

    def facts(self) -> str:
        """What made it, in words for the head of a page."""
        made = self.manifest
        parts = [plural(len(made["cases"]), "case"), plural(len(self.episodes), "session")]
        if self.people:
            return ", ".join([*parts, "sessions of people"])
        parts += [f"at most {made['turns']} turns", f"patient {made['patient']}", f"run seed {made['run_seed']}"]
        parts += [f"models {', '.join(made['models'])}"] if made["models"] else []
        return ", ".join([*parts, *(f"{name} {number}" for name, number in made["versions"].items() if number)])

    def arm(self, therapist: str) -> Arm:
        """One arm of it. Raises `UnknownName`."""
        own = {(e.key.case, e.key.seed): e for e in self.episodes if e.key.therapist == therapist}
        if not own:
            raise UnknownName(f"arm in {self.name}", therapist, {e.key.therapist for e in self.episodes})
        return Arm(therapist, self, own)


@dataclass(frozen=True, slots=True)
class Arm:
    """One therapist of a source, with its sessions by (case, seed)."""

    therapist: str
    source: Source
    episodes: Mapping[tuple[str, int], Episode]

    @property
    def privileged(self) -> bool:
        return any(e.provenance.get("privileged") for e in self.episodes.values())

    @property
    def people(self) -> bool:
        """Its turns were said by people, in practice."""
        return any(e.provenance.get("people") for e in self.episodes.values())


@dataclass(frozen=True, slots=True)
class Contest:
    """Two arms to be compared; the second is set against the first."""

    first: Arm
    second: Arm

    @property
    def title(self) -> str:
        """'second against first', with the runs where the arms have one name."""
        a, b = self.first, self.second
        if a.therapist == b.therapist:
            return f"{b.therapist} ({b.source.name}) against {a.therapist} ({a.source.name})"
        return f"{b.therapist} against {a.therapist}"

    @property
    def by_case(self) -> bool:
        """Sessions of people are no seeds of ours: cases are paired, not sessions."""
        return self.first.source.people or self.second.source.people

    @property
    def shared(self) -> tuple[tuple[str, int], ...]:
        """The (case, seed) that both played with the same patient, where sessions can be paired."""
        keys = sorted(set(self.first.episodes) & set(self.second.episodes))
        if not self.by_case:
            return tuple(keys)
        return tuple(k for k in keys if same_start(self.first.episodes[k], self.second.episodes[k]))


def same_start(a: Episode, b: Episode) -> bool:
    """Whether two sessions began with the same mind; None of a mind is no sameness."""
    return bool(a.states) and bool(b.states) and a.states[0] == b.states[0]


def contests(sources: Sequence[Source], names: Sequence[str] = ()) -> tuple[Contest, ...]:
    """Which arms are set against which; the first source, or the first name, is what the others are set against.

    With names: of one source, each later one against the first; of several sources, one name for all, or one for each.
    Without: arms of one name against each other, and those that are the only other one of their source.

    Raises:
        InputError: there is nothing to compare, or more than one way to; the message says what to name.
    """
    if not names and len(sources) == 1:
        alone = sources[0]
        raise InputError(
            f"{alone.name} is one run; name a second one, or two of its arms with --arm ({', '.join(alone.therapists)})"
        )
    if names:
        return _named(sources, names)
    base, rest = sources[0], sources[1:]
    found = [pair for other in rest for pair in _between(base, other)]
    if found:
        return tuple(found)
    raise InputError(
        "the runs share no arm and have several each: name one of each with --arm; "
        + "; ".join(f"{one.name} has {', '.join(one.therapists) or 'no session'}" for one in sources)
    )


def _named(sources: Sequence[Source], names: Sequence[str]) -> tuple[Contest, ...]:
    if len(sources) == 1:
        if len(set(names)) < 2:
            raise InputError(f"one run has one arm {names[0]!r}; name a second arm with --arm, or a second run")
        arms = [sources[0].arm(name) for name in names]
    elif len(names) in (1, len(sources)):
        given = list(names) if len(names) > 1 else [names[0]] * len(sources)
        arms = [one.arm(name) for one, name in zip(sources, given, strict=True)]
    else:
        raise InputError(
            f"--arm was given {len(names)} times for {len(sources)} runs; give it once, or once for each run"
        )
    return tuple(Contest(arms[0], other) for other in arms[1:])


def _between(base: Source, other: Source) -> list[Contest]:
    shared = [name for name in base.therapists if name in other.therapists]
    own, theirs = ([n for n in one.therapists if n not in shared] for one in (base, other))
    alone = [(own[0], theirs[0])] if len(own) == 1 and len(theirs) == 1 else []
    return [Contest(base.arm(a), other.arm(b)) for a, b in [*alone, *((n, n) for n in shared)]]


def left_out(sources: Sequence[Source], pairs: Sequence[Contest]) -> dict[str, tuple[str, ...]]:
    """Arms that stand in no contest, by run; they have no counterpart of their name."""
    used = {(arm.source.name, arm.therapist) for pair in pairs for arm in (pair.first, pair.second)}
    rest = {one.name: tuple(n for n in one.therapists if (one.name, n) not in used) for one in sources}
    return {name: arms for name, arms in rest.items() if arms}
