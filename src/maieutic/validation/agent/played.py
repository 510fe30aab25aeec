"""Plays the sessions that the agent's evidence needs: test patients, other worlds, other minds' rules, a planted rupture."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import get_context

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import EpisodeKey, Session, Turn
from maieutic.library import get_case
from maieutic.protocols import Therapist
from maieutic.registry import load_therapist
from maieutic.validation.agent.conduct import Conduct, conduct_of
from maieutic.validation.worlds import STANDARD_WORLD, World, patient_of

RUPTURE_AT = 8
"""Therapist turn that is replaced by a blunt one."""
BLUNT = "Honestly, you are exaggerating. You should just stop thinking like that and get on with it."


@dataclass(frozen=True, slots=True)
class Ruptured:
    """A therapist whose eighth turn is replaced by a blunt one; everything after it is its own."""

    inner: Therapist
    name: str

    async def respond(self, session: Session) -> Turn:
        """The inner therapist's turn, but for one."""
        if len(session.by("therapist")) == RUPTURE_AT - 1:
            return Turn("therapist", BLUNT)
        return await self.inner.respond(session)


@dataclass(frozen=True, slots=True)
class Batch:
    """Sessions of one case: arms × seeds in one world."""

    case: str
    arms: tuple[str, ...]
    seeds: tuple[int, ...]
    world: World = STANDARD_WORLD
    turns: int = 20
    ruptured: bool = False
    keep_words: bool = False

    @property
    def sessions(self) -> int:
        return len(self.arms) * len(self.seeds)


@lru_cache(maxsize=64)
def _therapist(arm: str) -> Therapist:
    return load_therapist(arm)


def played(batch: Batch) -> Iterator[Conduct]:
    """The sessions of one batch; failed ones are left out, since they have no numbers (no arm here calls a model)."""
    case = get_case(batch.case)
    for arm in batch.arms:
        therapist = _therapist(arm)
        for seed in batch.seeds:
            patient = patient_of(case, seed, batch.world)
            speaker = Ruptured(therapist, arm) if batch.ruptured else therapist
            talk = Conversation(speaker, patient, RuleCoder(), batch.turns, Streams(0, EpisodeKey(arm, case.id, seed)))
            episode = asyncio.run(converse(talk))
            accurate = patient.mind.situation.accurate
            special = "risk" if case.risk.level != "none" else "accurate" if accurate else None
            episode = replace(episode, provenance={"special": special})
            if not episode.failed:
                yield conduct_of(episode, world=batch.world.name, keep_words=batch.keep_words)


def _whole(batch: Batch) -> list[Conduct]:
    return list(played(batch))


def play_all(batches: Sequence[Batch], tick: Callable[[int], None], workers: int = 2) -> list[Conduct]:
    """All batches in a fixed order, on so many processes; `tick` is told the sessions done."""
    found: dict[int, list[Conduct]] = {}
    if workers <= 1:
        for place, batch in enumerate(batches):
            found[place] = _whole(batch)
            tick(batch.sessions)
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(_whole, batch): place for place, batch in enumerate(batches)}
            try:
                for done in as_completed(waiting):
                    found[waiting[done]] = done.result()
                    tick(batches[waiting[done]].sessions)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return [one for place in sorted(found) for one in found[place]]
