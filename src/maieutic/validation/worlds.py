"""Plays sessions in a world of one's choice, paired by case and seed, on as many processes as there are cores."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.case import Case, Situation, Style
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.domain.randomness import derive
from maieutic.library import get_case
from maieutic.patients.comprehension import Comprehension
from maieutic.patients.dynamics import Mind
from maieutic.patients.kernel import PRIOR, STANDARD, Kernel, Population
from maieutic.patients.simulated import SimulatedPatient
from maieutic.reading.minilm import shared_minilm
from maieutic.registry import load_therapist
from maieutic.runs.progress import Tick
from maieutic.validation.rows import Row, row_of
from maieutic.workers import mapped

if TYPE_CHECKING:
    from maieutic.validation.store import Store

STANDARD_NAME = "standard"


@dataclass(frozen=True, slots=True)
class SimulatorConfig:
    """The constants a patient lives by, under a name."""

    name: str = STANDARD_NAME
    kernel: Kernel = STANDARD
    prior: Population = PRIOR


STANDARD_WORLD = SimulatorConfig()


@dataclass(frozen=True, slots=True)
class Task:
    """Sessions of one case: arms × seeds in one world, in the case's own style or another."""

    case: str
    arms: tuple[str, ...]
    seeds: tuple[int, ...]
    world: SimulatorConfig = SimulatorConfig()
    turns: int = 20
    style: Style | None = None
    keep_words: bool = False

    @property
    def sessions(self) -> int:
        return len(self.arms) * len(self.seeds)


def play(
    tasks: Sequence[Task],
    *,
    tick: Tick,
    workers: int | None = None,
    store: Store[Task, Row] | None = None,
) -> list[Row]:
    """All sessions of all tasks, in a fixed order whatever the number of processes.

    `tick` is told the number of sessions done each time a batch is. Tasks of one case go to one process, which reads
    the case once. What `store` already has is not played again.
    """
    found: dict[int, list[Row]] = {}
    by_case: dict[str, list[tuple[int, Task]]] = {}
    for number, task in enumerate(tasks):
        known = store.get(task) if store else None
        if known is None:
            by_case.setdefault(task.case, []).append((number, task))
        else:
            found[number] = known
    tick(sum(tasks[number].sessions for number in found))
    batches = [items[at : at + 40] for items in by_case.values() for at in range(0, len(items), 40)]
    # The longest first: the last to end is then a short one, and no core stands idle for long.
    batches.sort(key=lambda items: -sum(task.sessions for _, task in items))

    def keep(place: int, played: dict[int, list[Row]]) -> None:
        found.update(played)
        for number, task in batches[place] if store else ():
            assert store is not None
            store.put(task, played[number])
        tick(sum(task.sessions for _, task in batches[place]))

    mapped(_batch, batches, keep, workers=workers)
    return [row for number in sorted(found) for row in found[number]]


def _batch(items: Sequence[tuple[int, Task]]) -> dict[int, list[Row]]:
    return {number: list(rows_of(task)) for number, task in items}


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
    patient = patient_of(case, seed, task.world)
    chosen, streams = patient.mind.situation, Streams(0, EpisodeKey(arm, case.id, seed))
    episode = await converse(
        Conversation(load_therapist(arm), patient, RuleCoder(), task.turns, streams), guarded=False
    )
    return replace(episode, provenance=marks_of(case, chosen))


def marks_of(case: Case, chosen: Situation) -> dict[str, Any]:
    """What an episode says of the case and the situation in play, for those that sort and judge it."""
    special = "risk" if case.risk.level != "none" else "accurate" if chosen.accurate else None
    return {"special": special, "warranted": chosen.warranted}


def patient_of(case: Case, seed: int, world: SimulatorConfig) -> SimulatedPatient:
    """The patient that every arm meets under this case and seed: the situation in play is drawn by both."""
    situation = derive(0, case.id, seed, "situation").choice([s.id for s in case.situations])
    mind = Mind(case, case.situation(situation), world.kernel)
    return SimulatedPatient(mind, reading(case.id, situation), world.prior)


@lru_cache(maxsize=256)
def reading(case_id: str, situation: str) -> Comprehension:
    """The comprehension of one situation, made once a process."""
    case = get_case(case_id)
    return Comprehension.of(case, case.situation(situation), shared_minilm())
