"""Plays the sessions that the agent's evidence needs: test patients, other worlds, patients of other kinds, a planted
rupture."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.case import Case
from maieutic.domain.episode import EpisodeKey
from maieutic.library import get_case
from maieutic.patients.published import MindVoyagerPatient
from maieutic.protocols import LanguageModel, Therapist
from maieutic.registry import load_model, load_therapist
from maieutic.runs.work import Tick
from maieutic.ruptures import Ruptured
from maieutic.validation.agent.conduct import Conduct, conduct_of, gate_conduct
from maieutic.validation.agent.kinds import Kind, opened, patient_for, worded
from maieutic.workers import mapped
from maieutic.worlds import STANDARD_WORLD, SimulatorConfig, marks_of

if TYPE_CHECKING:
    from maieutic.validation.store import Store


@dataclass(frozen=True, slots=True)
class Batch:
    """Sessions of one case: arms × seeds in one world.

    Attributes:
        kind: What the patient is. voice: The model that words a 'voiced' patient.
    """

    case: str
    arms: tuple[str, ...]
    seeds: tuple[int, ...]
    world: SimulatorConfig = STANDARD_WORLD
    turns: int = 20
    ruptured: bool = False
    keep_words: bool = False
    kind: Kind = "simulated"
    voice: str | None = None

    @property
    def sessions(self) -> int:
        return len(self.arms) * len(self.seeds)

    def apart(self) -> tuple[Batch, ...]:
        """The same sessions as one batch each."""
        return tuple(replace(self, arms=(arm,), seeds=(seed,)) for arm in self.arms for seed in self.seeds)


@lru_cache(maxsize=64)
def _therapist(arm: str) -> Therapist:
    return load_therapist(arm)


def played(batch: Batch) -> Iterator[Conduct]:
    """The sessions of one batch; failed ones are left out, since they have no numbers.

    Raises:
        ModelUnavailable, UnknownName: the voice cannot be had.
    """
    case = get_case(batch.case)
    for arm in batch.arms:
        for seed in batch.seeds:
            found = asyncio.run(_session(case, arm, seed, batch))
            if found is not None:
                yield found


async def _session(case: Case, arm: str, seed: int, batch: Batch) -> Conduct | None:
    model = load_model(batch.voice) if batch.voice is not None else None
    try:
        return await _with(model, case, arm, seed, batch)
    finally:
        if model is not None:
            await model.close()


async def _with(model: LanguageModel | None, case: Case, arm: str, seed: int, batch: Batch) -> Conduct | None:
    therapist = _therapist(arm)
    patient = patient_for(case, seed, batch.world, batch.kind, model)
    speaker = Ruptured(therapist, arm) if batch.ruptured else therapist
    coder = RuleCoder() if batch.kind != "gate" else None
    episode = await converse(
        Conversation(speaker, patient, coder, batch.turns, Streams(0, EpisodeKey(arm, case.id, seed)))
    )
    if episode.failed:
        return None
    if isinstance(patient, MindVoyagerPatient):
        episode = replace(episode, provenance=marks_of(case, patient.situation))
        return gate_conduct(episode, world=batch.world.name, opened=opened(patient, episode.session))
    episode = replace(episode, provenance=marks_of(case, case.situation(episode.states[0].situation)))
    share = worded(episode.session)
    return conduct_of(episode, world=batch.world.name, keep_words=batch.keep_words, worded=share)


def _whole(batch: Batch) -> list[Conduct]:
    return list(played(batch))


def play_all(
    batches: Sequence[Batch], tick: Tick, workers: int = 2, store: Store[Batch, Conduct] | None = None
) -> list[Conduct]:
    """All sessions in a fixed order, on so many processes; `tick` is told the sessions done.

    What `store` has is not played again; it is given each session the moment it is over. Raises `StorageError`.
    """
    single = [one for batch in batches for one in batch.apart()]
    found: dict[int, list[Conduct]] = {}
    for place, batch in enumerate(single):
        known = store.get(batch) if store is not None else None
        if known is not None:
            found[place] = known
    tick(len(found))
    open_ones = [place for place in range(len(single)) if place not in found]

    def keep(number: int, rows: list[Conduct]) -> None:
        place = open_ones[number]
        found[place] = rows
        if store is not None:
            store.put(single[place], rows)
        tick(single[place].sessions)

    mapped(_whole, [single[place] for place in open_ones], keep, workers=workers)
    return [one for place in sorted(found) for one in found[place]]
