"""Statistics that every table uses: Student's paired differences, clustered bootstrap, AUC, Wilson, Benjamini-Hochberg,
Holm. What scipy has is scipy's; it has no clusters, no Wilson interval of a sum of shares, and no Holm.

Pure functions on numbers. Whatever is random takes an `rng: random.Random`, so that equal seeds give equal
intervals. A figure that cannot be had is None, never 0.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)
Floats = NDArray[np.float64]

_CELLS = 4_000_000  # draws are made in blocks of at most this many numbers, so memory does not grow with the input


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its bounds.

    Attributes:
        estimate: The value on the whole sample; None when there is nothing to estimate from.
        low, high: Bounds (95 % unless asked otherwise); None with fewer than two clusters.
        n: Number of clusters, that is, of independent units; equal to the number of values when none were named.
    """

    estimate: float | None
    low: float | None
    high: float | None
    n: int

    def excludes(self, value: float) -> bool:
        """Whether the whole interval lies on one side of `value`; False when there is no interval."""
        return self.low is not None and self.high is not None and not self.low <= value <= self.high

    def shown(self, digits: int = 2, missing: str = "–") -> str:
        """'0.84 [0.71, 0.93]'; the estimate alone where it has no bounds, and `missing` where there is none."""
        if self.estimate is None:
            return missing
        bounds = "" if self.low is None or self.high is None else f" [{self.low:.{digits}f}, {self.high:.{digits}f}]"
        return f"{self.estimate:.{digits}f}{bounds}"


def generator(rng: random.Random) -> np.random.Generator:
    """A numpy generator that depends on the given one only."""
    return np.random.default_rng(rng.getrandbits(64))


def percentile_bounds(draws: Floats, level: float = 0.95) -> tuple[float | None, float | None]:
    """The central `level` of the drawn values, those that are not finite left out; None when too few are left."""
    finite = draws[np.isfinite(draws)]
    if finite.size < max(2, draws.size // 2):
        return None, None
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def resample_weights(count: int, draws: int, source: np.random.Generator) -> Iterable[NDArray[np.int64]]:
    """Blocks of bootstrap weights: each row says how often each of `count` units was drawn; rows sum to `count`."""
    block = max(1, min(draws, _CELLS // max(count, 1)))
    even = np.full(count, 1.0 / count)
    for start in range(0, draws, block):
        yield source.multinomial(count, even, size=min(block, draws - start))


def bootstrap_mean(
    values: Sequence[float],
    *,
    clusters: Sequence[Hashable] | None = None,
    rng: random.Random,
    draws: int = 2000,
    level: float = 0.95,
    fewest: int = 2,
) -> Interval:
    """Mean with a percentile bootstrap interval; whole clusters are drawn, so that values within one may depend.

    The estimate is the mean of all values (each value weighs the same, also when clusters differ in size).

    Args:
        values: The values; none may be missing.
        clusters: One label a value (the case, the session); None means that every value is a unit of its own.
        rng: Seed of the draws.
        draws: Number of bootstrap samples.
        level: Coverage asked for, 0 to 1.
        fewest: Clusters from which there are bounds; at least 2.
    """
    if not values:
        return Interval(None, None, None, 0)
    groups = _grouped(range(len(values)) if clusters is None else clusters, len(values))
    sums = np.array([sum(values[i] for i in members) for members in groups.values()], dtype=np.float64)
    sizes = np.array([len(members) for members in groups.values()], dtype=np.float64)
    estimate = float(np.mean(np.asarray(values, dtype=np.float64)))
    if len(groups) < fewest:
        return Interval(estimate, None, None, len(groups))
    source = generator(rng)
    means = [(weights @ sums) / (weights @ sizes) for weights in resample_weights(len(groups), draws, source)]
    return Interval(estimate, *percentile_bounds(np.concatenate(means), level), n=len(groups))


def bootstrap_statistic(
    items: Sequence[Item],
    statistic: Callable[[Sequence[Item]], float | None],
    *,
    clusters: Sequence[Hashable] | None = None,
    rng: random.Random,
    draws: int = 2000,
    level: float = 0.95,
) -> Interval:
    """Any statistic of a list of items, with a percentile bootstrap interval over clusters.

    Draws for which the statistic is None are left out; when more than half are, there is no interval.
    """
    if not items:
        return Interval(None, None, None, 0)
    groups = list(_grouped(range(len(items)) if clusters is None else clusters, len(items)).values())
    estimate = statistic(items)
    if len(groups) < 2 or estimate is None:
        return Interval(estimate, None, None, len(groups))
    source = generator(rng)
    drawn = np.full(draws, np.nan)
    for draw in range(draws):
        chosen = source.integers(0, len(groups), size=len(groups))
        value = statistic([items[i] for c in chosen for i in groups[c]])
        drawn[draw] = np.nan if value is None else value
    return Interval(estimate, *percentile_bounds(drawn, level), n=len(groups))


MIN_CASES: Final = 6
"""Cases from which a difference has an interval and a test, and a board has tiers. With five, even cases that all
differ to one side are no finding of a sign test (2 / 2⁵ = 0.06), and every interval rests on the shape that is assumed;
how often they hold the truth is counted by `benchmarks/interval_coverage.py`."""


def student_mean(values: Sequence[float], *, level: float = 0.95, fewest: int = MIN_CASES) -> Interval:
    """Mean of independent values with Student's interval (Student 1908); no bounds below `fewest` values.

    With ten cases a percentile bootstrap of real differences held the true mean in 85 % of studies, Student's in 90 %.

    Args:
        values: One a unit, such as the difference of a case.
        level: Coverage asked for, 0 to 1.
        fewest: Values from which there are bounds; at least 2.
    """
    if not len(values):
        return Interval(None, None, None, 0)
    found = np.asarray(values, dtype=np.float64)
    estimate, count = float(found.mean()), len(values)
    if count < fewest:
        return Interval(estimate, None, None, count)
    half = student_point(count - 1, level) * float(found.std(ddof=1)) / math.sqrt(count)
    return Interval(estimate, estimate - half, estimate + half, count)


def student_point(freedom: int, level: float = 0.95) -> float:
    """How many standard errors Student's interval of this level reaches to each side."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def paired_difference(
    a: Mapping[Key, float], b: Mapping[Key, float], *, clusters: Callable[[Key], Hashable] = lambda key: key
) -> Interval:
    """Mean of a − b over the keys that both have, each cluster weighing the same, with Student's interval over
    clusters.

    The one interval of a paired difference: `evaluate`, `compare`, `gate` and the studies all read it here.

    Args:
        a, b: Value by key, for example by (case, seed).
        clusters: The cluster of a key (for example its case), whose differences are averaged first; every key its own
            where none is given.
    """
    found: dict[Hashable, list[float]] = {}
    for key in a:
        if key in b:
            found.setdefault(clusters(key), []).append(a[key] - b[key])
    return student_mean([sum(own) / len(own) for own in found.values()])


def mann_whitney_u(first: Sequence[float], second: Sequence[float]) -> float:
    """Number of pairs (one of each) in which the first is larger; ties count half. Range 0 to n₁·n₂."""
    from scipy.stats import rankdata

    return float(rankdata([*first, *second])[: len(first)].sum() - len(first) * (len(first) + 1) / 2)


def auc(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Probability that a random member of `first` exceeds one of `second`, ties half; None when either is empty or
    holds what is not finite."""
    if not _comparable(first, second):
        return None
    return mann_whitney_u(first, second) / (len(first) * len(second))


def weighted_auc(values: Floats, first: NDArray[np.bool_], weights: NDArray[np.int64]) -> Floats:
    """AUC of every row of bootstrap weights (draws × n) over one pooled sample; NaN where a group was not drawn."""
    _, place = np.unique(values, return_inverse=True)
    levels = int(place.max()) + 1
    result = np.empty(len(weights))
    for row, weight in enumerate(weights):
        of_first = np.bincount(place, weight * first, minlength=levels)
        of_second = np.bincount(place, weight * ~first, minlength=levels)
        pairs = of_first.sum() * of_second.sum()
        wins = of_first @ (np.cumsum(of_second) - 0.5 * of_second)
        result[row] = wins / pairs if pairs else np.nan
    return result


def rank_biserial(u: float, n1: int, n2: int) -> float:
    """Rank-biserial correlation 1 − 2U/(n₁n₂) of the smaller Mann-Whitney U; range −1 to 1 (Wendt 1972)."""
    return 1.0 - 2.0 * u / (n1 * n2)


def mann_whitney_p(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Two-sided p of the Mann-Whitney test: normal approximation, corrected for ties and continuity.

    None when a group is empty, all values are equal or one is not finite. Below about eight a group the approximation
    is rough.
    """
    if not _comparable(first, second) or len({*first, *second}) == 1:
        return None
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(first, second, method="asymptotic").pvalue)


def wilson(successes: float, total: int, *, z: float = 1.959963984540054) -> Interval:
    """A share with Wilson's score interval (Wilson 1927); sound also for shares of 0 and 1.

    `successes` may be a sum of shares, where each unit counts for the share of its trials.
    """
    if not total:
        return Interval(None, None, None, 0)
    share = successes / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half), total)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted p (q-values) that control the false discovery rate (Benjamini & Hochberg 1995), in the given order.

    Raises `ValueError` for what is no p, 0 to 1: one that cannot be had is left out before.
    """
    from scipy.stats import false_discovery_control

    return list(map(float, false_discovery_control(p_values))) if len(p_values) else []


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p that control the family-wise error by Holm's step-down method (Holm 1979), in the given order."""
    count = len(p_values)
    adjusted = [0.0] * count
    running = 0.0
    for position, index in enumerate(sorted(range(count), key=lambda i: p_values[i])):
        running = max(running, min(1.0, p_values[index] * (count - position)))
        adjusted[index] = running
    return adjusted


def _comparable(first: Sequence[float], second: Sequence[float]) -> bool:
    return len(first) > 0 and len(second) > 0 and bool(np.isfinite([*first, *second]).all())


def _grouped(labels: Iterable[Hashable], expected: int) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = {}
    for index, label in enumerate(labels):
        groups.setdefault(label, []).append(index)
    if sum(map(len, groups.values())) != expected:
        raise ValueError("clusters must name one label for every value")
    return groups
