"""`maieutic train reward`: rewards computed on a run folder; look-ahead is played, and kept line by line."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from maieutic.domain.episode import EpisodeKey
from maieutic.errors import InputError, refuse_below
from maieutic.evaluation.evaluate import read_run
from maieutic.evaluation.plan import REFERENCE
from maieutic.registry import load_therapist
from maieutic.runs.files import write_json
from maieutic.runs.folder import locked
from maieutic.runs.journal import Checkpoint
from maieutic.training.futures import (
    Futures,
    Recorded,
    Spread,
    drawn,
    each_once,
    effect_of,
    forks_of,
    read_recorded,
)
from maieutic.training.rewards import ATTRIBUTES, LOOK_AHEAD, reward_named
from maieutic.training.table import RewardTable, reward_table

DEFAULT: Final = ("conviction", "emotion", ATTRIBUTES)
LOOKS_AT: Final = "conviction"
"""The reward at the end of the window that look-ahead reads."""
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class LookAhead:
    """How the look-ahead reward is played.

    Attributes:
        then: Who holds the session after the turn.
        window: Turns after it. samples: Futures a turn. turns: Turns looked at in a session.
        seed: Of the futures and of the turns that are drawn.
    """

    then: str = "socratic"
    window: int = 2
    samples: int = 4
    turns: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        refuse_below(0, window=self.window)
        refuse_below(1, samples=self.samples, turns=self.turns)


@dataclass(frozen=True, slots=True)
class Rewarded:
    """The table, and what common random numbers saved where replies were played on."""

    table: RewardTable
    spread: Spread | None


def reward_run(
    run: Path, names: Sequence[str], out: Path, tick: Callable[[int], Callable[[int], None]], ahead: LookAhead
) -> Rewarded:
    """Compute rewards on the sessions of a run, and write `reward.json`.

    Raises:
        InputError: no such reward or run, or nothing to pick from. StorageError: the folder cannot be written.
    """
    chosen = {name: reward_named(name) for name in names if name != LOOK_AHEAD}
    manifest, episodes = read_run(run)
    values = {name: {e.key: v for e in episodes if (v := one.of(e)) is not None} for name, one in chosen.items()}
    units = {name: one.unit for name, one in chosen.items()}
    for name, found in values.items():
        if not found:
            raise InputError(f"no session of {run} has the reward {name}; it needs sessions with a recorded mind")
    spread = None
    with locked(out):
        if LOOK_AHEAD in names:
            values[LOOK_AHEAD], spread = _played(read_recorded(run), out, tick, ahead)
            units[LOOK_AHEAD] = "points"
        table = reward_table(episodes, values, units)
        told = asdict(table) | {
            "format": FORMAT,
            "kind": "reward",
            "run_seed": manifest["run_seed"],
            "versions": manifest["versions"],
            "look_ahead": None if spread is None else asdict(ahead) | {"variance_saved": spread.saved},
        }
        write_json(out / "reward.json", told)
    return Rewarded(table, spread)


def _played(
    recorded: Recorded, out: Path, tick: Callable[[int], Callable[[int], None]], ahead: LookAhead
) -> tuple[dict[EpisodeKey, float], Spread]:
    """The mean effect of the turns looked at, by session."""
    forks = [
        fork
        for e in recorded.episodes
        if e.key.therapist != REFERENCE and e.provenance.get("special") is None and not e.failed
        for fork in drawn(forks_of(e), ahead.turns, ahead.seed)
    ]
    futures = Futures(recorded, load_therapist(ahead.then), ahead.then, ahead.window, ahead.seed)
    made = hashlib.sha256(f"{sorted(recorded.manifest.items())} {ahead}".encode()).hexdigest()[:16]
    kept: Checkpoint[dict[str, Any]] = Checkpoint(out / "look_ahead.jsonl", "fork", dict, resume=True)
    by_name = {f"{made}/{fork.name}": fork for fork in forks}

    async def line_of(name: str) -> dict[str, Any]:
        found = await effect_of(futures, by_name[name], reward_named(LOOKS_AT), ahead.samples)
        effect, spread = (None, Spread()) if found is None else found
        return {"fork": name, "effect": effect, **asdict(spread)}

    async def all_of() -> None:
        try:
            await each_once(by_name, line_of, kept, tick(len(forks)))
        finally:
            await futures.close()

    asyncio.run(all_of())
    lines = [(fork.key, kept.found[f"{made}/{fork.name}"]) for fork in forks]
    effects: dict[EpisodeKey, list[float]] = {}
    for key, line in lines:
        if line["effect"] is not None:
            effects.setdefault(key, []).append(line["effect"])
    total = sum((Spread(line["apart"], line["paired"]) for _, line in lines), Spread())
    return {key: fmean(own) for key, own in effects.items()}, total
