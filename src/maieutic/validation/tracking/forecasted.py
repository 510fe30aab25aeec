"""Forecasts and truths at every patient turn of sessions played in several worlds: by the tracker, from the prior, from
the last exchange alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from maieutic.domain.case import Case
from maieutic.domain.episode import Episode
from maieutic.domain.randomness import derive
from maieutic.domain.state import CognitiveState
from maieutic.library import get_case
from maieutic.runs.work import Tick
from maieutic.tracking.asked import meant
from maieutic.tracking.belief import Belief
from maieutic.tracking.filter import predicted, start, updated
from maieutic.tracking.space import BELIEFS, BINS, EMOTIONS, MAX_FACTS, RISKS, Floats, Reply, Scale, bin_of
from maieutic.tracking.tracker import MindTracker
from maieutic.validation.sensitivity import other_worlds
from maieutic.validation.sessions import Task, episodes_of
from maieutic.validation.tracking.particles import SCALES, particle_forecasts
from maieutic.workers import mapped

HOME, SECOND, PERTURBED = "home", "second world", "perturbed"
WORLDS = (HOME, SECOND, PERTURBED)
"""The first simulator, the second one, and the first with one of its structural alternatives switched on, none of which
the tracker was fitted in."""
FACTORS: dict[str, int] = {
    "belief": len(BELIEFS),
    "emotion": len(EMOTIONS),
    "conviction": BINS,
    "accurate": 2,
    "openness": BINS,
    "reactance": BINS,
    "alliance": BINS,
    "distress": BINS,
    "facts": MAX_FACTS + 1,
    "thought told": 2,
    "feeling told": 2,
    "risk": len(RISKS),
}
"""What is forecast, with the number of hypotheses."""
CEILED = tuple(SCALES)
"""What the filter with the true transitions forecasts."""


@dataclass(frozen=True, slots=True)
class Forecasts:
    """Forecasts of one session.

    Attributes:
        world: One of `WORLDS`. case, arm, seed: What was played.
        chances: By (method, factor): (turns, hypotheses). Methods that do not forecast a factor are missing.
        truths: By factor: (turns,) the true hypothesis.
        thought_found: By turn: the tracker's candidate for the hot thought is a turn that did say it; None before any.
    """

    world: str
    case: str
    arm: str
    seed: int
    chances: dict[tuple[str, str], Floats]
    truths: dict[str, Floats]
    thought_found: tuple[bool | None, ...]


@lru_cache(maxsize=1)
def tracker() -> MindTracker:
    """One tracker a process."""
    return MindTracker.packaged()


def spread_out(belief: Belief) -> dict[str, Floats]:
    """The distributions of a belief, by factor."""
    told = belief.disclosed
    return {
        "belief": belief.category,
        "emotion": belief.emotion,
        "conviction": belief.conviction.reshape(BINS, 2).sum(axis=1),
        "accurate": np.array([1.0 - belief.accurate, belief.accurate]),
        **{scale.value: belief.scales[scale] for scale in Scale},
        "facts": belief.voiced,
        "thought told": np.array([1.0 - told[Reply.THOUGHT], told[Reply.THOUGHT]]),
        "feeling told": np.array([1.0 - told[Reply.FEELING], told[Reply.FEELING]]),
        "risk": belief.risk,
    }


def truth(case: Case, state: CognitiveState) -> dict[str, int]:
    """The true hypothesis of every factor. Told facts are those against the thought that the patient produced."""
    situation = case.situation(state.situation)
    strongest = max(situation.emotions, key=lambda e: e.intensity).group
    own = [v.evidence for v in state.voiced if v.by == "patient" and v.evidence != "experiment"]
    facts = sum(situation.fact(name).bearing == "against" for name in own)
    grade = {"none": "none", "passive": "passive", "active": "active", "imminent": "active"}[case.risk.level]
    return {
        "belief": BELIEFS.index(case.core_beliefs[0].category),
        "emotion": EMOTIONS.index(strongest),
        "conviction": bin_of(state.held / 100.0),
        "accurate": int(situation.accurate),
        "openness": bin_of(state.openness),
        "reactance": bin_of(state.reactance),
        "alliance": bin_of(state.alliance),
        "distress": bin_of(state.distress / 100.0),
        "facts": min(MAX_FACTS, facts),
        "thought told": int("thought" in state.disclosed),
        "feeling told": int("feeling" in state.disclosed),
        "risk": RISKS.index(grade),
    }


def forecast(episode: Episode, *, ceiling: bool, world: str = HOME) -> Forecasts:
    """All forecasts of one played session."""
    mind = tracker()
    case = get_case(episode.key.case)
    history = mind.history(episode.session)
    first = start(mind.tables)
    turns = episode.session.turns
    chances: dict[tuple[str, str], list[Floats]] = {}
    truths: dict[str, list[int]] = {}
    said_thought = {number for number, state in enumerate(episode.states) if state.intent.act.value == "thought"}
    found: list[bool | None] = []
    places = [at for at, turn in enumerate(turns) if turn.speaker == "patient"]
    for at, belief, state in zip(places, history, episode.states, strict=False):
        last = first if at == 0 else predicted(first, meant(turns[at - 1]), mind.tables)
        heard = mind.heard(type(episode.session)(turns[: at + 1], episode.session.seed))
        alone = updated(last, heard, mind.tables)
        for method, now in (("tracker", belief), ("prior", first), ("last", alone)):
            for factor, weights in spread_out(now).items():
                chances.setdefault((method, factor), []).append(weights)
        for factor, value in truth(case, state).items():
            truths.setdefault(factor, []).append(value)
        best = belief.thoughts[0] if belief.thoughts else None
        found.append(None if best is None else best.exchange in said_thought)
    if ceiling:
        for factor, rows in particle_forecasts(episode, mind).items():
            chances["ceiling", factor] = rows
    return Forecasts(
        world,
        episode.key.case,
        episode.key.therapist,
        episode.key.seed,
        {key: np.array(rows, dtype=np.float32) for key, rows in chances.items()},
        {key: np.array(rows) for key, rows in truths.items()},
        tuple(found),
    )


def _task(case: str, arms: tuple[str, ...], seeds: int, world: str) -> Task:
    """The sessions of one case in a world; which of the perturbed ones it meets is drawn."""
    task = Task(case, arms, tuple(range(seeds)))
    if world == SECOND:
        return replace(task, patient="second_world")
    return replace(task, world=derive(0, case, world).choice(other_worlds())) if world == PERTURBED else task


def _of_case(case: str, worlds: tuple[str, ...], arms: tuple[str, ...], seeds: int, ceiled: int) -> list[Forecasts]:
    return [
        forecast(e, ceiling=world == HOME and e.key.seed < ceiled and e.key.therapist == arms[0], world=world)
        for world in worlds
        for e in episodes_of(_task(case, arms, seeds, world))
        if not e.failed
    ]


def forecast_all(
    cases: Sequence[str],
    worlds: tuple[str, ...],
    arms: tuple[str, ...],
    seeds: int,
    ceiled: int,
    tick: Tick,
    workers: int = 2,
) -> list[Forecasts]:
    """Forecasts of arms × seeds for each case and world; the ceiling, which is slow, only at home for the first arm and
    `ceiled` seeds."""
    found: dict[int, list[Forecasts]] = {}

    def came(place: int, forecasts: list[Forecasts]) -> None:
        found[place] = forecasts
        tick(len(worlds) * len(arms) * seeds)

    mapped(partial(_of_case, worlds=worlds, arms=arms, seeds=seeds, ceiled=ceiled), cases, came, workers=workers)
    return [one for place in sorted(found) for one in found[place]]
