"""Sessions that the worth of the agent's steps is learned from: it draws its steps at random among those that it may take
(`fit_value`)."""

from __future__ import annotations

import asyncio
import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from maieutic.coding.rules import RuleCoder
from maieutic.dialogue import Conversation, Streams, converse
from maieutic.domain.episode import EpisodeKey, Session, Turn
from maieutic.library import get_case
from maieutic.reading.minilm import shared_minilm
from maieutic.registry import lookup
from maieutic.therapists.agent.planner import DRAWN
from maieutic.therapists.agent.steps import Step
from maieutic.therapists.agent.value import WEIGHTS
from maieutic.therapists.socratic import SocraticTherapist
from maieutic.tracking.space import Floats
from maieutic.validation.agent.sessions import played_by
from maieutic.workers import mapped
from maieutic.worlds import STANDARD_WORLD, drawn_situation, patient_of
from tracker_sessions import WORLDS, shaken

SHARES = (1.0, 0.5)
"""Share of turns in which a step is drawn, by seed in turn; in the others the agent goes by its agenda."""
LEARNED = 0.4
"""The same where it goes by what it has learned in the others."""


@dataclass(frozen=True)
class Played:
    """One session, turn by turn.

    Attributes:
        case, world, seed: Which.
        known: (n, d) what the agent knew before each of its turns with a choice or without one.
        steps: (n,) what it did. drawn: (n,) whether there was a choice, it was drawn, and not overruled.
        held: (n + 1,) held conviction before the first turn and after each, 0–100.
        leaves: The patient left.
    """

    case: str
    world: str
    seed: int
    known: Floats
    steps: tuple[Step, ...]
    drawn: tuple[bool, ...]
    held: Floats
    leaves: bool


@dataclass
class Noting:
    """The agent, noting for each turn what it knew and did."""

    agent: SocraticTherapist
    name: str = "socratic"
    noted: list[tuple[Floats, Step, bool]] = field(default_factory=list)

    async def respond(self, session: Session) -> Turn:
        found = self.agent.consider(session)
        account = found.understanding
        known = account.known if account is not None else np.zeros(0)
        steps = account.steps if account is not None and account.forced is None else ()
        drawn = len(steps) > 1 and found.plan.step in steps and found.plan.reason == DRAWN
        self.noted.append((known, found.plan.step, drawn))
        return await self.agent.carry_out(found, session)


def play(cases: Sequence[str], seeds: Sequence[int], *, learned: bool, kept: Path, workers: int = 2) -> list[Played]:
    """A session for each case, kind of world and seed; what is in `kept` is read there where the same agent and patients played it, and
    what is not is put there."""
    kept = kept / kept_under(learned=learned)
    tasks = [(case, world, seed) for seed in seeds for case in cases for world in WORLDS]
    found: dict[int, Played] = {}
    mapped(partial(_play, learned=learned, kept=kept), tasks, found.__setitem__, workers=workers)
    return [found[place] for place in sorted(found)]


def kept_under(*, learned: bool) -> str:
    """A name for all that can change a session, the worths only where something is chosen by them."""
    return f"{played_by('' if learned else WEIGHTS)}-{hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]}"


def _play(task: tuple[str, str, int], *, learned: bool, kept: Path) -> Played:
    path = kept / f"{'-'.join(map(str, task))}.pkl"
    if path.exists():
        return pickle.loads(path.read_bytes())  # type: ignore[no-any-return]
    played = asyncio.run(_session(*task, learned=learned))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(played))
    return played


async def _session(name: str, world: str, seed: int, *, learned: bool) -> Played:
    case = get_case(name)
    sizes = shaken(Random(f"{name}{seed}")) if world == "random" else STANDARD_WORLD
    patient: Any = patient_of(case, seed, sizes)
    if world == "second":
        patient = lookup("patient", "second_world")(case, drawn_situation(case, seed), embed=shared_minilm())
    noting = Noting(SocraticTherapist(draws=LEARNED if learned else SHARES[seed % len(SHARES)], plans=learned))
    streams = Streams(0, EpisodeKey(noting.name, name, seed))
    episode = await converse(Conversation(noting, patient, RuleCoder(), noting.agent.turns, streams), guarded=False)
    count = min(len(noting.noted), len(episode.states) - 1)
    width = max(len(known) for known, _, _ in noting.noted)
    known = np.array([one if len(one) else np.full(width, np.nan) for one, _, _ in noting.noted[:count]])
    steps, drawn = tuple(step for _, step, _ in noting.noted[:count]), tuple(one for _, _, one in noting.noted[:count])
    held = np.array([state.held for state in episode.states[: count + 1]])
    return Played(name, world, seed, known, steps, drawn, held, episode.states[-1].left)
