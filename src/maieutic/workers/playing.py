"""Plays a plan on many workers: the driver keeps journal, budget and queue, the workers hold the dialogues.

A dialogue goes on when its last utterance is in the journal. One whose worker is lost goes on elsewhere after it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Event
from maieutic.domain.episode import EpisodeKey, Usage
from maieutic.errors import BudgetReached
from maieutic.evaluation.evaluate import Played, Player, Request, make_patients, make_plan, make_ready, models_of
from maieutic.evaluation.journal import EpisodeJournal, Record, end_line, event_of, read_journal, record_of, turn_line
from maieutic.evaluation.plan import Plan
from maieutic.evaluation.run import (
    EarlyStop,
    Limits,
    Runner,
    Watcher,
    computed_here,
    held,
    not_asked,
    phases,
    streams_of,
)
from maieutic.evaluation.summary import Scores, score_episodes
from maieutic.runs.work import WorkersSpec
from maieutic.workers import Tell, crew_of, work
from maieutic.workers.team import Crew, agree

AT_ONCE_A_WORKER = 4
"""Dialogues that keep a worker busy while it waits for the driver."""


@dataclass(frozen=True, slots=True)
class Order:
    """A dialogue to play to its end; `lines` are what the journal holds of it already."""

    key: EpisodeKey
    lines: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Last:
    """What a worker says when a dialogue is over: its last line, what the question at the end took, and its scores."""

    line: bytes
    usage: Usage | None
    scores: Scores


class Playing:
    """The job of a worker: makes the run's parts from its names, once, and plays dialogues with them."""

    def __init__(self, request: Request, manifest: Mapping[str, Any], timeout: float | None) -> None:
        """Raises `InputError` and its kin where the parts cannot be made here, or would make another run."""
        plan = make_plan(request)
        agree(manifest, orjson.loads(orjson.dumps(plan.manifest(), option=orjson.OPT_NON_STR_KEYS)))
        make_patient, patient_model = make_patients(request.patient)
        make_ready(plan, models_of(plan, patient_model), timeout)
        self._talk_of = Runner(plan, make_patient, RuleCoder()).talks(lambda event: None)

    async def do(self, order: Order, tell: Tell) -> Last:
        """Plays a dialogue, telling every utterance as a line of the journal."""
        talk = replace(self._talk_of(order.key), observer=lambda event: tell(turn_line(event)))
        start = record_of(order.lines).opened().progress(talk.streams.session_seed) if order.lines else None
        episode, usage = await held(talk, start)
        # Scored here, where its words have been read already; the driver would read them all again, alone.
        return Last(end_line(episode), usage, {one.score.measure: one.score for one in score_episodes([episode])})


def on_workers(
    request: Request, spec: WorkersSpec, *, at_once: int | None = None, tell: Callable[[str], None] = lambda line: None
) -> Player:
    """Plays on workers instead of in this process.

    Args:
        at_once: Dialogues under way over all workers; None for four a worker.
        tell: Told when the workers are ready, and of each that is lost.
    """
    return partial(_play, request, spec, at_once, tell)


def _play(  # the first four are given by `on_workers`, the rest is a Player's
    request: Request,
    spec: WorkersSpec,
    at_once: int | None,
    tell: Callable[[str], None],
    plan: Plan,
    folder: Path,
    done: Mapping[EpisodeKey, Record],
    limits: Limits,
    watch: Watcher | None,
) -> Played:
    manifest = orjson.loads(orjson.dumps(plan.manifest(), option=orjson.OPT_NON_STR_KEYS))
    computes = any(computed_here(model) for model in models_of(plan, make_patients(request.patient)[1]))
    with crew_of(spec, partial(Playing, request, manifest, limits.timeout), tell, own_cores=computes) as crew:
        books = _Books(plan, folder, done, limits, watch)
        try:
            for keys in phases(plan):
                books.play(crew, keys, at_once or AT_ONCE_A_WORKER * len(crew.hosts), tell)
        finally:
            books.journal.close()
    found = read_journal(folder / "journal")
    episodes = [
        not_asked(streams_of(plan, key), books.unasked[key], plan.provenance(key))
        if key in books.unasked
        else found[key].episode(key, streams_of(plan, key).session_seed)
        for key in sorted(plan.grid())
    ]
    return Played(episodes, books.scores)


class _Books:
    """What the driver keeps: the journal, the budget, what is open, and which arms are asked no more."""

    def __init__(
        self, plan: Plan, folder: Path, done: Mapping[EpisodeKey, Record], limits: Limits, watch: Watcher | None
    ) -> None:
        self.journal = EpisodeJournal(folder / "journal")
        self.unasked: dict[EpisodeKey, str] = {}
        self.scores: dict[EpisodeKey, Scores] = {}
        self._plan, self._watch = plan, watch
        self._left = {
            key for key in plan.grid() if key not in done or done[key].to_play(retry_failed=limits.retry_failed)
        }
        self._budget = limits.budget()
        self._spent: BudgetReached | None = None
        self._stops = defaultdict[str, EarlyStop](lambda: EarlyStop(most=limits.stop_after))
        self._open: defaultdict[EpisodeKey, list[bytes]] = defaultdict(list)
        self._lines = _lines_of(folder / "journal", self._left & done.keys())

    def play(self, crew: Crew, keys: list[EpisodeKey], at_once: int, tell: Callable[[str], None]) -> None:
        """Plays what is not done of these. Raises `BudgetReached`, `StorageError`, `WorkersLost`."""
        # A worker makes each situation ready once, and has read much of what is said in the others of its case.
        groups: defaultdict[str, list[Order]] = defaultdict(list)
        for key in sorted(keys, key=lambda one: (one.case, self._plan.situation(one))):
            if key in self._left:
                groups[key.case].append(Order(key, tuple(self._lines.get(key, ()))))
        for order, last in work(
            crew,
            list(groups.values()),
            at_once=at_once,
            taken=self._taken,
            wanted=self._wanted,
            again=self._again,
            tell=tell,
        ):
            self.journal.write(last.line)
            self.scores[order.key] = last.scores
            self._open.pop(order.key, None)
            ending, stop = orjson.loads(last.line)["ending"], self._stops[order.key.therapist]
            if ending["kind"] == "failed":
                stop.failed(ending["reason"] or "")
            else:
                stop.worked()
            # Raised here it would break off what is in flight, which is to be waited for.
            try:
                self._budget.count(last.usage)
            except BudgetReached as reached:
                self._spent = reached
        if self._spent is not None:
            raise self._spent

    def _wanted(self, order: Order) -> bool:
        if self._spent is not None:
            return False
        stopped = self._stops[order.key.therapist].stopped
        if stopped:
            self.unasked[order.key] = stopped
        return not stopped

    def _again(self, order: Order) -> Order:
        return Order(order.key, (*order.lines, *self._open.pop(order.key, ())))

    def _taken(self, order: Order, line: bytes) -> None:
        self.journal.write(line)
        self._open[order.key].append(line)
        event: Event = event_of(orjson.loads(line))
        if self._watch is not None:
            self._watch(event)
        self._budget.count(event.turn.usage)
        if self._spent is not None:
            raise self._spent


def _lines_of(folder: Path, keys: Set[EpisodeKey]) -> dict[EpisodeKey, list[bytes]]:
    """The lines of dialogues that an earlier run left open, or failed in."""
    found: defaultdict[EpisodeKey, list[bytes]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl")) if keys else ():
        for line in path.read_bytes().splitlines(keepends=True):
            if line.endswith(b"\n") and (key := EpisodeKey(*orjson.loads(line)["key"])) in keys:
                found[key].append(line)
    return dict(found)
