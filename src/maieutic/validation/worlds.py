"""Plays sessions in a world of one's choice, paired by case and seed, on as many processes as there are cores."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.case import Case, Style
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.library import get_case
from maieutic.reading.minilm import shared_minilm
from maieutic.registry import load_therapist, lookup
from maieutic.runs.work import Tick
from maieutic.validation.rows import Row, row_of
from maieutic.workers import mapped
from maieutic.worlds import STANDARD_WORLD, SimulatorConfig, drawn_situation, marks_of, patient_of

if TYPE_CHECKING:
    from maieutic.validation.store import Store


@dataclass(frozen=True, slots=True)
class Task:
    """Sessions of one case: arms × seeds in one world, in the case's own style or another.

    `patient` names another simulator than the first, which `world` then says nothing of.
    """

    case: str
    arms: tuple[str, ...]
    seeds: tuple[int, ...]
    world: SimulatorConfig = STANDARD_WORLD
    turns: int = 20
    style: Style | None = None
    keep_words: bool = False
    patient: str = "simulated"

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
    patient: Any = patient_of(case, seed, task.world)
    if task.patient != "simulated":
        make = lookup("patient", task.patient)
        patient = make(case, drawn_situation(case, seed), embed=shared_minilm())
    chosen, streams = patient.mind.situation, Streams(0, EpisodeKey(arm, case.id, seed))
    episode = await converse(
        Conversation(load_therapist(arm), patient, RuleCoder(), task.turns, streams), guarded=False
    )
    return replace(episode, provenance=marks_of(case, chosen))
