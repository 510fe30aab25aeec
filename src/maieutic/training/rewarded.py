"""`maieutic train reward`: rewards computed on a run folder; look-ahead is played, and kept line by line.

What rewards say of the arms: means, where two disagree, and what is picked by each. The emotion trap is read here: a
reward for how the patient feels and one for what the patient believes may pick other sessions with the same patient.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import numpy as np

from maieutic.domain.codes import TELLING, Move
from maieutic.domain.episode import Episode, EpisodeKey
from maieutic.domain.randomness import derive
from maieutic.errors import InputError, refuse_below
from maieutic.evaluation.evaluate import read_run
from maieutic.evaluation.plan import REFERENCE
from maieutic.runs.files import write_json
from maieutic.runs.folder import locked
from maieutic.runs.journal import Checkpoint
from maieutic.stats import MIN_CASES, Interval, bootstrap_statistic, student_mean
from maieutic.training.rewards import (
    ATTRIBUTES,
    LOOK_AHEAD,
    Futures,
    LookAhead,
    Recorded,
    Spread,
    drawn,
    effect_of,
    forks_of,
    read_recorded,
    reward_named,
)

Values = Mapping[EpisodeKey, float]
Patient = tuple[str, int]

KINDS: Final[Mapping[str, frozenset[Move]]] = {
    "comfort": frozenset({Move.REASSURANCE, Move.AFFIRMATION}),
    "reflection": frozenset({Move.REFLECTION, Move.SUMMARY}),
    "open question": frozenset({Move.OPEN_QUESTION}),
    "telling": TELLING - {Move.REASSURANCE},
}
"""Kinds of turns whose share is set against each reward."""
CHANCE: Final = "any arm"
_DRAWS: Final = 1000
_TIE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two rewards, or a reward and a kind of turn, on the same patients.

    Attributes:
        first, second: Their names.
        correlation: Pearson's r of what differs between sessions with one patient; interval over cases.
        differ: Share of pairs of sessions with one patient in which the two name different winners.
        pairs: Pairs in which both name one.
    """

    first: str
    second: str
    correlation: Interval
    differ: float | None = None
    pairs: int = 0


@dataclass(frozen=True, slots=True)
class Picked:
    """The session that a reward picks out of those with one patient, over all patients.

    Attributes:
        by: The reward, or 'any arm' for a pick by chance.
        arms: Share of patients for whom the arm is picked; ties are shared.
        gets: Mean of every reward in what is picked, interval over cases.
    """

    by: str
    arms: Mapping[str, float]
    gets: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class RewardTable:
    """Everything that is printed and written.

    Attributes:
        rewards: Reward → unit.
        arms: The arms that are picked from, in the order of the first reward.
        beside: Arms that stand in the table only: no session, and those that see the mind.
        means: Group of cases ('regular', 'accurate') → arm → reward → mean over cases.
        agreements: Between rewards. kinds: Of rewards with kinds of turns.
        picks: By each reward, and by chance.
        sessions, cases: That the figures rest on. missing: Reward → sessions without one.
    """

    rewards: Mapping[str, str]
    arms: tuple[str, ...]
    beside: tuple[str, ...]
    means: Mapping[str, Mapping[str, Mapping[str, Interval]]]
    agreements: tuple[Agreement, ...]
    kinds: tuple[Agreement, ...]
    picks: tuple[Picked, ...]
    sessions: int
    cases: int
    missing: Mapping[str, int]


def reward_table(episodes: Sequence[Episode], values: Mapping[str, Values], units: Mapping[str, str]) -> RewardTable:
    """The table of a run. `values` may lack sessions in which a reward cannot be had.

    Raises:
        InputError: fewer than two arms are left to pick from.
    """
    regular = [e for e in episodes if e.provenance.get("special") is None and not e.failed]
    accurate = [e for e in episodes if e.provenance.get("special") == "accurate" and not e.failed]
    beside = {e.key.therapist for e in episodes if e.provenance.get("privileged")} | {REFERENCE}
    keys = [e.key for e in regular]
    means = {
        group: {arm: {name: _mean(own, arm, values[name]) for name in values} for arm in _arms(own)}
        for group, own in (("regular", keys), ("accurate", [e.key for e in accurate]))
        if own
    }
    first = next(iter(values))
    ranked = sorted(_arms(keys), key=lambda arm: -_known(means["regular"][arm][first]))
    arms = tuple(arm for arm in ranked if arm not in beside)
    if len(arms) < 2:
        raise InputError(f"picking needs two arms or more that see no mind, got {', '.join(arms) or 'none'}")
    shares = {kind: _shares(regular, moves) for kind, moves in KINDS.items()}
    chosen = [key for key in keys if key.therapist in arms]
    return RewardTable(
        rewards=dict(units),
        arms=arms,
        beside=tuple(arm for arm in ranked if arm in beside),
        means=means,
        agreements=tuple(
            _agreement(a, b, values[a], values[b], chosen, winners=True) for a, b in combinations(values, 2)
        ),
        kinds=tuple(
            _agreement(name, kind, values[name], shares[kind], chosen, winners=False)
            for name in values
            for kind in KINDS
        ),
        picks=_picks(values, chosen),
        sessions=len(chosen),
        cases=len({key.case for key in chosen}),
        missing={name: sum(key not in own for key in chosen) for name, own in values.items()},
    )


def _arms(keys: Sequence[EpisodeKey]) -> list[str]:
    return sorted({key.therapist for key in keys})


def _known(interval: Interval) -> float:
    return float("-inf") if interval.estimate is None else interval.estimate


def _mean(keys: Sequence[EpisodeKey], arm: str, values: Values) -> Interval:
    return _over_cases([(key.case, values[key]) for key in keys if key.therapist == arm and key in values])


def _over_cases(found: Sequence[tuple[str, float]]) -> Interval:
    """Mean of the means of cases, with Student's interval."""
    cases: dict[str, list[float]] = {}
    for case, value in found:
        cases.setdefault(case, []).append(value)
    return student_mean([fmean(own) for own in cases.values()])


def _shares(episodes: Sequence[Episode], moves: frozenset[Move]) -> dict[EpisodeKey, float]:
    """Share of coded therapist turns of a kind."""
    return {
        e.key: fmean(code.any_of(moves) for code in coded)
        for e in episodes
        if (coded := [code for code in e.codes if code is not None])
    }


def _by_patient(keys: Sequence[EpisodeKey], *needed: Values) -> dict[Patient, list[EpisodeKey]]:
    """The sessions with one patient that have every value, of patients with two or more."""
    found: dict[Patient, list[EpisodeKey]] = {}
    for key in keys:
        if all(key in one for one in needed):
            found.setdefault((key.case, key.seed), []).append(key)
    return {patient: own for patient, own in found.items() if len(own) > 1}


def _agreement(
    first: str, second: str, a: Values, b: Values, keys: Sequence[EpisodeKey], *, winners: bool
) -> Agreement:
    patients = _by_patient(keys, a, b)
    points = [
        (case, a[key] - fmean(a[k] for k in own), b[key] - fmean(b[k] for k in own))
        for (case, _), own in patients.items()
        for key in own
    ]
    found = bootstrap_statistic(
        points,
        _pearson,
        clusters=[case for case, _, _ in points],
        rng=derive(0, "rewards", first, second),
        draws=_DRAWS,
    )
    if found.n < MIN_CASES:
        found = Interval(found.estimate, None, None, found.n)
    signs = [
        (a[x] - a[y]) * (b[x] - b[y])
        for own in patients.values()
        for x, y in combinations(own, 2)
        if abs(a[x] - a[y]) > _TIE and abs(b[x] - b[y]) > _TIE
    ]
    differ = fmean(sign < 0 for sign in signs) if signs and winners else None
    return Agreement(first, second, found, differ, len(signs))


def _pearson(points: Sequence[tuple[str, float, float]]) -> float | None:
    x, y = (np.array([point[place] for point in points]) for place in (1, 2))
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / spread if spread > _TIE else None


def _picks(values: Mapping[str, Values], keys: Sequence[EpisodeKey]) -> tuple[Picked, ...]:
    """What each reward picks, on the patients for whom every session has every reward."""
    arms = _arms(keys)
    patients = {p: own for p, own in _by_patient(keys, *values.values()).items() if len(own) == len(arms)}
    rules: dict[str, Callable[[Sequence[EpisodeKey]], list[EpisodeKey]]] = {
        name: lambda own, by=by: _best(own, by)  # type: ignore[misc]
        for name, by in values.items()
    }
    rules[CHANCE] = list
    found = []
    for name, rule in rules.items():
        chosen = {patient: rule(own) for patient, own in patients.items()}
        shares = {
            arm: fmean(sum(k.therapist == arm for k in own) / len(own) for own in chosen.values()) if chosen else 0.0
            for arm in arms
        }
        gets = {
            reward: _over_cases([(case, fmean(by[k] for k in own)) for (case, _), own in chosen.items()])
            for reward, by in values.items()
        }
        found.append(Picked(name, shares, gets))
    return tuple(found)


def _best(keys: Sequence[EpisodeKey], by: Values) -> list[EpisodeKey]:
    top = max(by[key] for key in keys)
    return [key for key in keys if by[key] > top - _TIE]


DEFAULT: Final = ("conviction", "emotion", ATTRIBUTES)
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Rewarded:
    """The table, and what common random numbers saved where replies were played on."""

    table: RewardTable
    spread: Spread | None


def reward_run(
    run: Path,
    names: Sequence[str],
    out: Path,
    tick: Callable[[int], Callable[[int], None]],
    ahead: LookAhead,
    *,
    turns: int = 2,
) -> Rewarded:
    """Compute rewards on the sessions of a run, and write `reward.json`.

    Args:
        ahead: How the look-ahead reward is played. turns: Turns of a session that it looks at.

    Raises:
        InputError: no such reward or run, or nothing to pick from. StorageError: the folder cannot be written.
    """
    refuse_below(1, turns=turns)
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
            values[LOOK_AHEAD], spread = _played(read_recorded(run), out, tick, ahead, turns)
            units[LOOK_AHEAD] = "points"
        table = reward_table(episodes, values, units)
        told = asdict(table) | {
            "format": FORMAT,
            "kind": "reward",
            "run_seed": manifest["run_seed"],
            "versions": manifest["versions"],
            "look_ahead": None if spread is None else {**asdict(ahead), "turns": turns, "variance_saved": spread.saved},
        }
        write_json(out / "reward.json", told)
    return Rewarded(table, spread)


def _played(
    recorded: Recorded, out: Path, tick: Callable[[int], Callable[[int], None]], ahead: LookAhead, turns: int
) -> tuple[dict[EpisodeKey, float], Spread]:
    """The mean effect of the turns looked at, by session."""
    forks = [
        fork
        for e in recorded.episodes
        if e.key.therapist != REFERENCE and e.provenance.get("special") is None and not e.failed
        for fork in drawn(forks_of(e), turns, ahead.seed)
    ]
    futures = Futures(recorded, ahead)
    made = hashlib.sha256(f"{sorted(recorded.manifest.items())} {ahead} {turns}".encode()).hexdigest()[:16]
    kept: Checkpoint[dict[str, Any]] = Checkpoint(out / "look_ahead.jsonl", "fork", dict, resume=True)
    by_name = {f"{made}/{fork.name}": fork for fork in forks}

    async def line_of(name: str) -> dict[str, Any]:
        found = await effect_of(futures, by_name[name])
        effect, spread = (None, Spread()) if found is None else found
        return {"fork": name, "effect": effect, **asdict(spread)}

    futures.each_once(by_name, line_of, kept, tick(len(forks)))
    lines = [(fork.key, kept.found[f"{made}/{fork.name}"]) for fork in forks]
    effects: dict[EpisodeKey, list[float]] = {}
    for key, line in lines:
        if line["effect"] is not None:
            effects.setdefault(key, []).append(line["effect"])
    total = sum((Spread(line["apart"], line["paired"]) for _, line in lines), Spread())
    return {key: fmean(own) for key, own in effects.items()}, total
