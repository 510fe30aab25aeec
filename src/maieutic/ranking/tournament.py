"""Plays a tournament: the loop, journal and patients of `evaluate`, stage by stage, resumable like any run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from maieutic.coding.rules import RuleCoder
from maieutic.comparing.sources import TOURNAMENT
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.domain.randomness import derive
from maieutic.errors import InputError
from maieutic.evaluation.evaluate import Request, make_patients, make_plan
from maieutic.evaluation.journal import Record, read_journal
from maieutic.evaluation.plan import Plan
from maieutic.evaluation.run import Limits, PatientMaker, Runner, Watcher
from maieutic.evaluation.summary import score_episodes
from maieutic.protocols import LanguageModel
from maieutic.ranking.battles import FAMILIES, OVERALL, fight
from maieutic.ranking.leaderboard import Leaderboard
from maieutic.ranking.swiss import Pairing, Stage, Standing, begin, played, settle, stages
from maieutic.runs.folder import RunFolder

Watching = Callable[[Plan, Mapping[EpisodeKey, Record], str], AbstractContextManager[Watcher]]


@dataclass(frozen=True, slots=True)
class Played:
    """A finished tournament.

    Attributes:
        episodes: All sessions. standing: The cuts that held at their stage. plan: The stages; at: the last one played.
        share: Sessions played, of those that all against all would take.
    """

    episodes: tuple[Episode, ...]
    standing: Standing
    plan: tuple[Stage, ...]
    at: int
    share: float


def entered(request: Request) -> Plan:
    """Who plays and on what: every arm with as many seeds as the others, and no risk case, which could decide no
    battle.

    Raises:
        InputError: fewer than two therapists, no case that is left, or a request that cannot be run.
    """
    plan = make_plan(request)
    names = [name for name, one in plan.therapists.items() if not getattr(one, "absent", False)]
    if len(names) < 2:
        raise InputError(
            f"a tournament needs two therapists or more, got {', '.join(names) or 'none'}; repeat --therapist"
        )
    cases = {name: case for name, case in plan.cases.items() if case.special != "risk"}
    if not cases:
        raise InputError(f"no battle is fought on a risk case, and no other is left: {', '.join(sorted(plan.cases))}")
    return replace(
        plan,
        therapists={name: plan.therapists[name] for name in names},
        cases=cases,
        seeds=dict.fromkeys(names, min(plan.seeds.values())),
    )


def play(
    request: Request,
    pairing: Pairing,
    out: Path,
    watching: Watching,
    *,
    resume: bool = False,
    limits: Limits | None = None,
) -> Played:
    """Play the stages until nobody is left to be told apart, or all is played.

    Raises:
        InputError: fewer than two therapists, or a request that cannot be run.
        BudgetReached: the limits are used up; the journal keeps all turns.
    """
    plan = entered(request)
    order = sorted(plan.cases)
    derive(plan.run_seed, "stages").shuffle(order)
    make_patient, patient_model = make_patients(request.patient)
    with RunFolder(out, plan.manifest() | {"kind": TOURNAMENT, "pairing": pairing}, resume=resume):
        schedule = stages(len(order), min(plan.seeds.values()), pairing)
        hall = _Hall(plan, tuple(order), schedule, make_patient, out, limits or Limits())
        models = (*plan.models, *([patient_model] if patient_model else []))
        return asyncio.run(_closing(hall.play(watching), models))


async def _closing(playing: Coroutine[Any, Any, Played], models: Sequence[LanguageModel]) -> Played:
    try:
        return await playing
    finally:
        for model in models:
            await model.close()


@dataclass(frozen=True, slots=True)
class _Hall:
    """Where it is played."""

    plan: Plan
    order: tuple[str, ...]
    schedule: tuple[Stage, ...]
    make_patient: PatientMaker
    out: Path
    limits: Limits

    async def play(self, watching: Watching) -> Played:
        standing, episodes = begin(tuple(self.plan.therapists)), dict[EpisodeKey, Episode]()
        at = 0
        for at, stage in enumerate(self.schedule):
            own = self._stage(stage, standing.playing)
            done = read_journal(self.out / "journal")
            told = f"stage {at + 1} of at most {len(self.schedule)}"
            with watching(own, done, told) as watch:
                runner = Runner(own, self.make_patient, RuleCoder(), self.limits)
                found = await runner.run(self.out, done=done, watch=watch)
            episodes |= {one.key: one for one in found}
            card = fight(score_episodes(list(episodes.values()), (FAMILIES[OVERALL].measure,)), OVERALL)
            standing = settle(standing, card.battles, self.schedule, at, seed=self.plan.run_seed)
            if not standing.playing:
                break
        share = played(len(episodes), len(self.plan.therapists), self.schedule)
        kept = tuple(episodes[key] for key in sorted(episodes))
        return Played(kept, standing, self.schedule, at, share)

    def _stage(self, stage: Stage, playing: tuple[str, ...]) -> Plan:
        return replace(
            self.plan,
            therapists={name: self.plan.therapists[name] for name in playing},
            cases={name: self.plan.cases[name] for name in self.order[: stage.cases]},
            seeds=dict.fromkeys(playing, stage.seeds),
        )


def as_swiss(found: Leaderboard, game: Played, pairing: Pairing) -> Leaderboard:
    """The board of a tournament; of a Swiss one with the cuts of its own stages, whose chance of error is divided."""
    return replace(found, settled=game.standing, share=game.share) if pairing == "swiss" else found
