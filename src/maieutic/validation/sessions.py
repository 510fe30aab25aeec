"""Sessions of a validation: played in a world of one's choice, paired by case and seed, on as many processes as
there are cores; reduced to the numbers that the checks need; and kept, so that a stop loses at most what is in
flight."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.case import Case, Style
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.domain.state import Act
from maieutic.language.sentences import content_words, words
from maieutic.library import case_hash, get_case
from maieutic.reading.minilm import shared_minilm
from maieutic.registry import load_therapist, lookup
from maieutic.runs.journal import Checkpoint
from maieutic.runs.work import Tick
from maieutic.workers import mapped
from maieutic.worlds import STANDARD_WORLD, SimulatorConfig, drawn_situation, marks_of, patient_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


LEAKED_WORDS = 7
"""A run of this many words that only the case file knows counts as a leak (PATIENT-Ψ forbids quoting the diagram)."""
_YIELDING = frozenset({Act.CONCEDE, Act.INSIGHT})


@dataclass(frozen=True, slots=True)
class Played:
    """One session in the numbers that every validation needs.

    Attributes:
        world: Name of the world it was played in.
        arm, case, seed: What was played.
        group: 'regular', 'risk' or 'accurate'.
        held: Held conviction at the start and after each therapist turn, 0–100.
        warranted: What the facts warrant, 0–100.
    """

    world: str
    arm: str
    case: str
    seed: int
    group: str
    held: tuple[float, ...]
    warranted: float

    @property
    def fall(self) -> float:
        """Points of held conviction lost from start to end."""
        return self.held[0] - self.held[-1]

    @property
    def unit(self) -> tuple[str, int]:
        """What arms are paired by."""
        return self.case, self.seed


def names_of(episode: Episode, world: str) -> dict[str, Any]:
    """What was played, as the first fields of `Played`."""
    key, group = episode.key, str(episode.provenance.get("special") or "regular")
    return {"world": world, "arm": key.therapist, "case": key.case, "seed": key.seed, "group": group}


@dataclass(frozen=True, slots=True)
class Row(Played):
    """One session in the numbers that `validate patients` needs.

    Attributes:
        style: Of the patient.
        stated_end: Stated conviction at the end.
        distress, openness: At the start and at the end.
        reactance_start: 0–1.
        disclosed: Slots and facts that the patient told.
        facts: Facts that the patient produced with credit.
        left: The patient ended the session.
        compliant_at: First turn after which the patient gave way (see `behaviour.flips`), or None.
        turns: Therapist turns heard.
        acts: What the patient decided to say, in order.
        leaks: Patient turns that quote what was not decided.
        repeats: Share of patient turns that had been said before in the session.
        digest: Hash of everything said and of all states.
        words: Mean words of a patient turn.
        said: The patient's turns; empty unless the words were to be kept.
    """

    style: str
    stated_end: float
    distress: tuple[float, float]
    openness: tuple[float, float]
    reactance_start: float
    disclosed: int
    facts: int
    left: bool
    compliant_at: int | None
    turns: int
    acts: tuple[str, ...]
    leaks: int
    repeats: float
    digest: str
    words: float
    said: tuple[str, ...] = ()


def row_of(episode: Episode, *, world: str, style: str, keep_words: bool = False) -> Row:
    """The numbers of one session."""
    first, last = episode.states[0], episode.states[-1]
    said = [turn.text for turn in episode.session.by("patient") if turn.text]
    mine = [v for v in last.voiced if v.by == "patient"]
    return Row(
        **names_of(episode, world),
        style=style,
        held=tuple(round(s.held, 4) for s in episode.states),
        stated_end=last.stated,
        warranted=float(episode.provenance["warranted"]),
        distress=(first.distress, last.distress),
        openness=(first.openness, last.openness),
        reactance_start=first.reactance,
        disclosed=len(last.disclosed) + len(mine),
        facts=sum(v.credit > 0 for v in mine),
        left=last.left,
        compliant_at=_compliant_at(episode),
        turns=last.turn,
        acts=tuple(s.intent.act.value for s in episode.states),
        leaks=_leaks(episode),
        repeats=_repeats(said),
        digest=hashlib.sha256(repr((episode.session.turns, episode.states)).encode()).hexdigest()[:16],
        words=sum(len(t.split()) for t in said) / len(said) if said else 0.0,
        said=tuple(said) if keep_words else (),
    )


def _compliant_at(episode: Episode) -> int | None:
    """The first turn after which the patient has given way: much fallen, conceding, or wide open without reactance."""
    first = episode.states[0]
    for state in episode.states[1:]:
        fallen = first.held - state.held >= 10.0 or first.stated - state.stated >= 20.0
        if fallen or state.intent.act in _YIELDING or (state.openness >= 0.65 and state.reactance < 0.1):
            return state.turn
    return None


def _leaks(episode: Episode) -> int:
    """Patient turns that hold a run of words from the diagram, or from a fact that has not been voiced by then."""
    secrets, told = _secrets(episode.key.case)
    count = 0
    for turn, state in zip(episode.session.by("patient"), episode.states, strict=False):
        found, shown = runs(turn.text), {v.evidence for v in state.voiced}
        quoted = bool(found & secrets)
        early = any(found & of for name, of in told.items() if name not in shown)
        count += quoted or early
    return count


@lru_cache(maxsize=256)
def _secrets(case_id: str) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    """Runs of the diagram's own words, and those of each fact's wordings; what the phrasings share is no secret."""
    case = get_case(case_id)
    spoken = _runs_of(_spoken(case))
    diagram = [
        case.history,
        *(b.statement for b in case.core_beliefs),
        *case.intermediate_beliefs.attitudes,
        *case.intermediate_beliefs.rules,
        *case.intermediate_beliefs.assumptions,
        *case.coping,
    ]
    told: dict[str, frozenset[str]] = {}
    for situation in case.situations:
        diagram += [situation.happened, situation.balanced_thought, situation.warranted_reason]
        diagram += [e.fact for e in situation.evidence]
        told |= {e.id: _runs_of(e.said) - spoken for e in situation.evidence}
    every_wording = frozenset().union(*told.values())
    return _runs_of(diagram) - spoken - every_wording, told


def _spoken(case: Case) -> list[str]:
    found: list[str] = []
    for value in case.phrasings.model_dump().values():
        for part in value.values() if isinstance(value, dict) else [value]:
            found += part
    return found


def _runs_of(texts: Iterable[str]) -> frozenset[str]:
    """Runs of words that tell something: "I don't know what to do with" can stand in anything."""
    return frozenset(run for text in texts for run in runs(text) if content_words(run))


def runs(text: str, length: int = LEAKED_WORDS) -> frozenset[str]:
    """All runs of `length` words of a text."""
    tokens = words(text)
    return frozenset(" ".join(tokens[i : i + length]) for i in range(len(tokens) - length + 1))


def _repeats(said: list[str]) -> float:
    return 1.0 - len(set(said)) / len(said) if said else 0.0


class OfCase(Protocol):
    """Anything that was seen with one patient."""

    @property
    def case(self) -> str: ...


class Asked(OfCase, Protocol):
    """Sessions to play with one patient."""

    @property
    def sessions(self) -> int:
        """How many."""


ToPlay = TypeVar("ToPlay", bound=Asked)
Seen = TypeVar("Seen", bound="DataclassInstance")


class Store(Generic[Seen]):
    """Rows of played sessions by what they were: the case with its hash, the `repr` of what was asked, the player."""

    def __init__(
        self, path: Path, read: Callable[[dict[str, Any]], Seen], line: str, *, resume: bool, player: str = ""
    ) -> None:
        """Open `path`; what is there is taken over with `resume` and thrown away without. Raises `StorageError`.

        Args:
            read: Makes a row of what was kept. line: Its field for the name. player: What else it depends on.
        """
        self._line, self._player = line, player
        self._kept = Checkpoint(path, line, lambda entry: [read(row) for row in entry["rows"]], resume=resume)

    def get(self, asked: OfCase) -> list[Seen] | None:
        """What was played of it before; None where nothing was, or where anything that plays has changed."""
        return self._kept.found.get(self._name(asked))

    def put(self, asked: OfCase, rows: Sequence[Seen]) -> None:
        """Keep rows; failed sessions have none and are played again. Raises `StorageError`."""
        if rows:
            self._kept.write({self._line: self._name(asked), "rows": [asdict(row) for row in rows]})

    def _name(self, asked: OfCase) -> str:
        what = f"{version('maieutic')} {self._player}{case_hash(get_case(asked.case))} {asked!r}"
        return hashlib.sha256(what.encode()).hexdigest()[:24]


def row_store(path: Path, *, resume: bool) -> Store[Row]:
    """The store of `validate patients`."""
    return Store(path, partial(kept_as, Row), "task", resume=resume)


def kept_as(kind: type[Seen], data: dict[str, Any]) -> Seen:
    """A flat dataclass from what was kept of it; lists become tuples again."""
    return kind(**{field.name: _frozen(data[field.name]) for field in fields(kind)})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def kept_or_played(
    asked: Sequence[ToPlay],
    rows_of: Callable[[ToPlay], list[Seen]],
    tick: Tick,
    *,
    workers: int | None = None,
    store: Store[Seen] | None = None,
    together: int = 1,
) -> list[Seen]:
    """The rows of all that is asked, in its order whatever the number of processes. Raises `StorageError`.

    Args:
        rows_of: Plays one of them; a function of a module, for it is called in other processes.
        tick: Told the number of sessions done each time some are.
        workers: Processes; as many as cores by default.
        store: What it already has is not played again.
        together: How many of one case go to a process at once, which reads the case once.
    """
    found: dict[int, list[Seen]] = {}
    by_case: dict[str, list[int]] = {}
    for number, one in enumerate(asked):
        known = store.get(one) if store is not None else None
        if known is None:
            by_case.setdefault(one.case, []).append(number)
        else:
            found[number] = known
    tick(sum(asked[number].sessions for number in found))
    batches = [own[at : at + together] for own in by_case.values() for at in range(0, len(own), together)]
    # The longest first: the last to end is then a short one, and no core stands idle for long.
    batches.sort(key=lambda batch: -sum(asked[number].sessions for number in batch))

    def keep(place: int, played: list[list[Seen]]) -> None:
        for number, rows in zip(batches[place], played, strict=True):
            found[number] = rows
            if store is not None:
                store.put(asked[number], rows)
        tick(sum(asked[number].sessions for number in batches[place]))

    mapped(partial(_each, rows_of), [[asked[number] for number in batch] for batch in batches], keep, workers=workers)
    return [row for number in sorted(found) for row in found[number]]


def _each(rows_of: Callable[[ToPlay], list[Seen]], batch: Sequence[ToPlay]) -> list[list[Seen]]:
    return [rows_of(one) for one in batch]


@dataclass(frozen=True, slots=True)
class Task:
    """Sessions of one case: arms × seeds in one world, in the case's own style or another.

    Attributes:
        patient: 'simulated', a kind of `agent.sessions`, or another simulator, of which `world` says nothing.
        ruptured: A rupture is planted.
        voice: The model that words a 'voiced' patient.
    """

    case: str
    arms: tuple[str, ...]
    seeds: tuple[int, ...]
    world: SimulatorConfig = STANDARD_WORLD
    turns: int = 20
    style: Style | None = None
    keep_words: bool = False
    patient: str = "simulated"
    ruptured: bool = False
    voice: str | None = None

    @property
    def sessions(self) -> int:
        return len(self.arms) * len(self.seeds)

    def apart(self) -> tuple[Task, ...]:
        """The same sessions as one task each."""
        return tuple(replace(self, arms=(arm,), seeds=(seed,)) for arm in self.arms for seed in self.seeds)


def play(
    tasks: Sequence[Task], *, tick: Tick, workers: int | None = None, store: Store[Row] | None = None
) -> list[Row]:
    """All sessions of all tasks, in order; `tick` is told how many are done."""
    return kept_or_played(tasks, _rows, tick, workers=workers, store=store, together=40)


def _rows(task: Task) -> list[Row]:
    return list(rows_of(task))


def rows_of(task: Task) -> Iterator[Row]:
    """The sessions of one task as rows."""
    for episode in episodes_of(task):
        style = task.style or get_case(task.case).style
        yield row_of(episode, world=task.world.name, style=style, keep_words=task.keep_words)


def episodes_of(task: Task) -> Iterator[Episode]:
    """The sessions of one task, whole."""
    case = get_case(task.case)
    if task.style is not None:
        case = case.model_copy(update={"style": task.style})
    for arm in task.arms:
        for seed in task.seeds:
            yield asyncio.run(_session(case, arm, seed, task))


async def _session(case: Case, arm: str, seed: int, task: Task) -> Episode:
    patient: Any = patient_of(case, seed, task.world)
    if task.patient != "simulated":
        make = lookup("patient", task.patient)
        patient = make(case, drawn_situation(case, seed), embed=shared_minilm())
    chosen, streams = patient.mind.situation, Streams(0, EpisodeKey(arm, case.id, seed))
    episode = await converse(
        Conversation(load_therapist(arm), patient, RuleCoder(), task.turns, streams), guarded=False
    )
    return replace(episode, provenance=marks_of(case, chosen))
