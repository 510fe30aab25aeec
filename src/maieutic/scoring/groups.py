"""Compares two groups of sessions on every measure: AUC as it is, and twice adjusted for the length of the sessions;
and says in a sentence what came out."""

from __future__ import annotations

import math
import random
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from maieutic.stats import (
    Floats,
    Interval,
    auc,
    benjamini_hochberg,
    generator,
    mann_whitney_p,
    percentile_bounds,
    resample_weights,
    weighted_auc,
)

MIN_PAIRS = 20
WINDOW = 0.2
_MAX_PER_GROUP = 1_500  # the pairwise comparison holds one cell a pair; larger groups are thinned by a seeded draw
_MAX_CELLS = 1_000_000  # bootstrap weights held at once, so that memory does not grow with the number of sessions


@dataclass(frozen=True, slots=True)
class SessionValues:
    """What is kept of a scored session: its group, its length, a value (or None) by measure, and how far unsure codes
    move it."""

    session: str
    group: str | None
    words: int
    turns: int
    values: Mapping[str, float | None]
    source: str = ""
    doubt: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One measure in two groups. An AUC is the chance that a session of the first group has the higher value.

    Attributes:
        measure: Id of the measure.
        groups: Names of the first and second group.
        medians: Median by group; None where a group has no value.
        n: Sessions with a value, by group.
        missing: Sessions without a value, by group.
        raw: AUC with bootstrap interval over sessions, drawn within groups.
        residual: AUC of what a straight line on log words leaves over; None-valued for length itself.
        matched: AUC over pairs whose numbers of turns differ by at most 20 %.
        pairs: Number of such pairs.
        p: Mann-Whitney p of the raw difference.
        q: Benjamini-Hochberg value over all measures compared.
        reason: Why an estimate is missing.
    """

    measure: str
    groups: tuple[str, str]
    medians: tuple[float | None, float | None]
    n: tuple[int, int]
    missing: tuple[int, int]
    raw: Interval
    residual: Interval
    matched: Interval
    pairs: int
    p: float | None
    q: float | None = None
    reason: str | None = None


def choose_groups(sessions: Sequence[SessionValues]) -> tuple[str, str] | None:
    """'high' and 'low' when both occur, else the two most frequent groups (ties by name); None with fewer than two."""
    counts = Counter(one.group for one in sessions if one.group is not None)
    if "high" in counts and "low" in counts:
        return "high", "low"
    ranked = sorted(counts, key=lambda group: (-counts[group], group))
    return (ranked[0], ranked[1]) if len(ranked) > 1 else None


def compare_groups(
    sessions: Sequence[SessionValues],
    groups: tuple[str, str],
    *,
    measures: Sequence[str],
    length_measures: frozenset[str] = frozenset(),
    seed: int = 0,
    draws: int = 2000,
) -> tuple[Comparison, ...]:
    """Compares two groups on every measure.

    The interval of the adjusted AUCs repeats the adjustment in every draw. Where groups differ much in length, the
    straight line takes part of a true difference away with it; the matched pairs do not, but are fewer.

    Args:
        sessions: Scored sessions, of these and other groups.
        groups: First and second group.
        measures: Ids to compare, in order.
        length_measures: Ids that are session length itself; they get no adjusted AUC.
        seed: Seed of the bootstrap.
        draws: Number of bootstrap samples.
    """
    found = [
        _compare(sessions, groups, measure, measure in length_measures, random.Random(f"{seed}/{measure}"), draws)
        for measure in measures
    ]
    tested = {index: one.p for index, one in enumerate(found) if one.p is not None}
    q = dict(zip(tested, benjamini_hochberg([*tested.values()]), strict=True))
    return tuple(replace(one, q=q.get(index)) for index, one in enumerate(found))


def _compare(
    sessions: Sequence[SessionValues],
    groups: tuple[str, str],
    measure: str,
    is_length: bool,
    rng: random.Random,
    draws: int,
) -> Comparison:
    members = [[one for one in sessions if one.group == group] for group in groups]
    have = [[one for one in side if one.values.get(measure) is not None] for side in members]
    values = [[value for one in side if (value := one.values[measure]) is not None] for side in have]
    n = (len(values[0]), len(values[1]))
    missing = (len(members[0]) - n[0], len(members[1]) - n[1])
    none = Interval(None, None, None, sum(n))
    blank = Comparison(measure, groups, (_median(values[0]), _median(values[1])), n, missing, none, none, none, 0, None)
    if min(n) < 2:
        return replace(blank, reason="fewer than two sessions with a value in a group")
    pooled = np.array([*values[0], *values[1]])
    first = np.arange(len(pooled)) < n[0]
    source = generator(rng)
    both = [*have[0], *have[1]]
    length = np.log(np.array([max(one.words, 1) for one in both], dtype=np.float64))
    near = None if is_length else _Near.of(pooled, np.array([one.turns for one in both], dtype=np.float64), first, rng)
    drawn: list[list[Floats]] = [[], [], []]
    block = max(1, min(draws, _MAX_CELLS // len(pooled)))
    for start in range(0, draws, block):
        weights = _weights(n, min(block, draws - start), source)
        drawn[0].append(weighted_auc(pooled, first, weights))
        if near is not None:
            drawn[1].append(_residual_draws(pooled, length, first, weights))
            drawn[2].append(near.draws(weights))
    raw, adjusted, matched = (np.concatenate(part) if part else np.empty(0) for part in drawn)
    found = replace(blank, raw=Interval(auc(*values), *percentile_bounds(raw), n=sum(n)), p=mann_whitney_p(*values))
    if near is None:
        return replace(found, reason="it is length itself")
    ones = np.ones((1, len(pooled)), dtype=np.int64)
    estimate = float(_residual_draws(pooled, length, first, ones)[0])
    residual = Interval(estimate, *percentile_bounds(adjusted), n=sum(n))
    if near.pairs < MIN_PAIRS:
        reason = f"{near.pairs} pairs of like length; at least {MIN_PAIRS} are needed"
        return replace(found, residual=residual, pairs=near.pairs, reason=reason)
    alike = Interval(near.estimate, *percentile_bounds(matched), n=sum(n))
    return replace(found, residual=residual, matched=alike, pairs=near.pairs)


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def _weights(n: tuple[int, int], draws: int, source: np.random.Generator) -> NDArray[np.int64]:
    """Bootstrap weights of both groups side by side, each group drawn on its own."""
    sides = [np.concatenate(list(resample_weights(count, draws, source))) for count in n]
    return np.concatenate(sides, axis=1)


def _residual_draws(values: Floats, length: Floats, first: NDArray[np.bool_], weights: NDArray[np.int64]) -> Floats:
    return np.array([weighted_auc(_residuals(values, length, w), first, w[None, :])[0] for w in weights])


def _residuals(values: Floats, length: Floats, weights: NDArray[np.int64]) -> Floats:
    total = weights.sum()
    centre, level = weights @ length / total, weights @ values / total
    spread = weights @ (length - centre) ** 2
    slope = weights @ ((length - centre) * (values - level)) / spread if spread > 0 else 0.0
    # Rounded so that sessions of equal value and length stay tied.
    residuals: Floats = np.round(values - slope * (length - centre), 12)
    return residuals


@dataclass(frozen=True, slots=True)
class _Near:
    """Pairs of one session of each group whose numbers of turns differ by at most 20 %."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    met: Floats
    wins: Floats

    @classmethod
    def of(cls, values: Floats, turns: Floats, first: NDArray[np.bool_], rng: random.Random) -> _Near:
        rows, columns = _thinned(np.flatnonzero(first), rng), _thinned(np.flatnonzero(~first), rng)
        a, b = turns[rows][:, None], turns[columns][None, :]
        met = (np.abs(a - b) <= WINDOW * np.maximum(a, b)).astype(np.float64)
        difference = values[rows][:, None] - values[columns][None, :]
        return cls(rows, columns, met, met * ((difference > 0) + 0.5 * (difference == 0)))

    @property
    def pairs(self) -> int:
        return int(self.met.sum())

    @property
    def estimate(self) -> float:
        return float(self.wins.sum() / self.met.sum())

    def draws(self, weights: NDArray[np.int64]) -> Floats:
        """The AUC over these pairs in each row of bootstrap weights; NaN where no pair was drawn."""
        left, right = weights[:, self.rows].astype(np.float64), weights[:, self.columns].astype(np.float64)
        won = ((left @ self.wins) * right).sum(axis=1)
        met = ((left @ self.met) * right).sum(axis=1)
        shares: Floats = np.divide(won, met, out=np.full(len(won), np.nan), where=met > 0)
        return shares


def _thinned(indices: NDArray[np.int64], rng: random.Random) -> NDArray[np.int64]:
    if len(indices) <= _MAX_PER_GROUP:
        return indices
    return np.array(sorted(rng.sample(indices.tolist(), _MAX_PER_GROUP)))


class PackedValues(Mapping[str, float | None]):
    """A value or None by measure; all rows of a run share one table of places."""

    __slots__ = ("_numbers", "_places")

    def __init__(self, places: Mapping[str, int], values: Sequence[float | None]) -> None:
        """Takes one value for each place, in order."""
        self._places = places
        self._numbers = array("d", [math.nan if value is None else value for value in values])

    def __getitem__(self, measure: str) -> float | None:
        number = self._numbers[self._places[measure]]
        return None if math.isnan(number) else number

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


MIN_SESSIONS = 8
"""In each group, before it is said that a difference holds."""


def verdict(one: Comparison, *, is_length: bool = False) -> tuple[str, str]:
    """One sentence on a comparison, and its tone: 'holds', 'open' or 'none'."""
    if one.raw.estimate is None:
        return f"Not compared: {one.reason}.", "none"
    higher = one.groups[0] if one.raw.estimate >= 0.5 else one.groups[1]
    if not one.raw.excludes(0.5):
        return "Does not tell the groups apart here: the interval includes 0.5.", "none"
    if is_length:
        return (
            f"Longer in {higher}: length alone tells the groups apart, and every other row must be read against it.",
            "open",
        )
    if min(one.n) < MIN_SESSIONS:
        return f"Higher in {higher} as it stands, but one group has only {min(one.n)} sessions with a value.", "open"
    if one.matched.estimate is None and _excludes_on_side(one.residual, one.raw):
        return f"Higher in {higher}; too few pairs of like length to check it there.", "open"
    if _excludes_on_side(one.residual, one.raw) and _excludes_on_side(one.matched, one.raw):
        return f"Higher in {higher}, also at like length.", "holds"
    return f"Higher in {higher} as it stands; at like length the difference is not certain.", "open"


def _excludes_on_side(adjusted: Interval, raw: Interval) -> bool:
    same = (adjusted.estimate or 0.0) >= 0.5, (raw.estimate or 0.0) >= 0.5
    return adjusted.excludes(0.5) and same[0] == same[1]
