"""Sessions of development cases that the tracker is fitted on: thirteen arms of very different skill in three kinds of world (see `fit_tracker`)."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from math import exp
from pathlib import Path
from random import Random
from typing import TypeVar

from maieutic.domain.episode import Episode
from maieutic.library import get_case
from maieutic.patients.kernel import PRIOR, STANDARD, STRUCTURAL, Kernel, Population
from maieutic.validation.sessions import Task, episodes_of
from maieutic.workers import mapped
from maieutic.worlds import STANDARD_WORLD, SimulatorConfig

WORLDS = ("home", "random", "second")
"""The first world; the first with all its sizes shaken, anew for each session; the second."""
ARMS = ("socratic", "padesky_script", "state_machine", "rotation", "wide", "worksheet", "warm", "advice", "eliza",
        "fishing", "oracle", "didactic", "why")  # fmt: skip
SEEDS = (100, 101)
ASKED_SEEDS = (102, 103, 104, 105)
"""Patients at risk meet the agent, which asks about it, in these as well: few others ask."""
AN_ARM = 5
"""Arms that meet a case in one world, drawn by both."""
SHAKEN = 0.35
"""Standard deviation of the logarithm of a factor on every size of the first world."""


@dataclass(frozen=True)
class Played:
    """One session and the kind of world that it was played in."""

    world: str
    episode: Episode


_Sizes = TypeVar("_Sizes", Kernel, Population)


def shaken(rng: Random) -> SimulatorConfig:
    """A world with the first one's equations and other sizes, so that no simulator's habits are learned."""
    return SimulatorConfig("random", _turned(STANDARD, rng), _turned(PRIOR, rng))


def _turned(sizes: _Sizes, rng: Random) -> _Sizes:
    new = {}
    for one in fields(sizes):
        value = getattr(sizes, one.name)
        if one.name not in STRUCTURAL and isinstance(value, float) and value > 0.0:
            moved = value * exp(rng.gauss(0.0, SHAKEN))
            new[one.name] = min(1.0, moved) if value <= 1.0 else moved
    return replace(sizes, **new)


def play(names: Sequence[str], kept: Path | None) -> list[Played]:
    """All sessions on two processes; what is in `kept` is read there, and what is not is put there."""
    tasks = [(case, world, seed) for seed in SEEDS for case in names for world in WORLDS]
    at_risk = [name for name in names if get_case(name).risk.level != "none"]
    tasks += [(case, world, seed) for seed in ASKED_SEEDS for case in at_risk for world in WORLDS]
    found: dict[int, list[Played]] = {}
    mapped(partial(_play, kept=kept), tasks, found.__setitem__, workers=2)
    return [one for place in sorted(found) for one in found[place]]


def _play(task: tuple[str, str, int], kept: Path | None) -> list[Played]:
    case, world, seed = task
    path = kept / f"{case}-{world}-{seed}.pkl" if kept else None
    if path is not None and path.exists():
        return list(pickle.loads(path.read_bytes()))
    found = []
    for arm, sizes in _drawn(*task):
        played = Task(case, (arm,), (seed,), sizes, patient="second_world" if world == "second" else "simulated")
        found += [Played(world, episode) for episode in episodes_of(played) if not episode.failed]
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(found))
    return found


def _drawn(case: str, world: str, seed: int) -> list[tuple[str, SimulatorConfig]]:
    """(arm, sizes of its world) of the sessions of a case in one kind of world; the agent in every other at least."""
    rng = Random(f"{case}{world}{seed}")
    if seed in ASKED_SEEDS:
        return [("socratic", shaken(rng) if world == "random" else STANDARD_WORLD)]
    arms = ["second_world_oracle" if world == "second" and arm == "oracle" else arm for arm in ARMS]
    rng.shuffle(arms)
    arms = arms[:AN_ARM]
    if "socratic" not in arms and rng.random() < 0.5:
        arms[0] = "socratic"
    luck = rng.random()
    return [(arm, shaken(Random(f"{luck}{arm}")) if world == "random" else STANDARD_WORLD) for arm in arms]
