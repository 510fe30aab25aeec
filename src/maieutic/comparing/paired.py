"""Statistics of two arms on the same patients: the paired difference, what it could have shown, and how many cases it
takes.

The case is the unit: seeds of a case are averaged first. The interval is the one that reports and gates show of a
difference (`stats.student_mean`), with none below `stats.FEWEST_CASES` cases.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from maieutic.stats import MIN_CASES, student_mean, student_point

POWER = 0.8
ALPHA = 0.05
MAX_CASES = 100_000

Pair = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """Second arm minus first, over the cases that both have.

    Attributes:
        first, second: Mean of each arm over the shared cases; None without any.
        estimate: Mean difference; low, high: its interval; None below `MIN_CASES` cases.
        p: Two-sided; 1 where every case differs by nothing; None below `MIN_CASES` cases.
        sd: Standard deviation of the differences of cases; None with fewer than two.
        cases, pairs: How many stand behind it.
    """

    first: float | None
    second: float | None
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    sd: float | None
    cases: int
    pairs: int


def paired(
    first: Mapping[Pair, float], second: Mapping[Pair, float], *, by_case: bool = False, alpha: float = ALPHA
) -> Difference:
    """The paired difference, each case weighing the same.

    Args:
        first, second: Value by (case, seed).
        by_case: Sessions of a case are not the same patients, so that means of cases are paired and not sessions.
        alpha: One minus the coverage of the interval.
    """
    if by_case:
        ours, theirs = _case_means(first), _case_means(second)
        shared = sorted(set(ours) & set(theirs))
        sides = [(ours[case], theirs[case]) for case in shared]
        pairs = len(shared)
    else:
        keys = sorted(set(first) & set(second))
        a, b = (_case_means({key: values[key] for key in keys}) for values in (first, second))
        sides, pairs = [(a[case], b[case]) for case in sorted(a)], len(keys)
    if not sides:
        return Difference(None, None, None, None, None, None, None, 0, 0)
    one, two = (float(np.mean([side[k] for side in sides])) for k in (0, 1))
    gaps = np.array([b - a for a, b in sides], dtype=np.float64)
    estimate = float(gaps.mean())
    if len(gaps) < 2:
        return Difference(one, two, estimate, None, None, None, None, len(gaps), pairs)
    sd, found = float(gaps.std(ddof=1)), student_mean(list(gaps), level=1 - alpha)
    p = _p(gaps, sd) if len(gaps) >= MIN_CASES else None
    return Difference(one, two, estimate, found.low, found.high, p, sd, len(gaps), pairs)


def detectable(sd: float | None, cases: int, *, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """The smallest true difference that so many cases show with this power, in the unit of `sd`.

    None where nothing varies, and below `MIN_CASES` cases, which are not tested.
    """
    if not sd or cases < MIN_CASES:
        return None
    return sd * _reach(alpha, cases, cases - 1, power) / math.sqrt(cases)


def cases_needed(
    sd: float | None, cases: int, difference: float, *, alpha: float = ALPHA, power: float = POWER
) -> int | None:
    """Cases at which a true difference of this size is shown with this power, at least `MIN_CASES`.

    None where nothing varies, beyond 100,000, and from a pilot below `MIN_CASES`, whose spread says nothing.

    The spread is itself an estimate from `cases` cases, and is not taken for the truth: the expected power over pilots
    of this size is `power` (Julious & Owen 2006).
    """
    if not sd or cases < MIN_CASES or not difference:
        return None
    wanted = abs(difference) / sd

    def enough(count: int) -> bool:
        return _reach(alpha, count, cases - 1, power) / math.sqrt(count) <= wanted

    low, high = MIN_CASES, 2 * MIN_CASES
    while not enough(high):
        low, high = high, high * 2
        if low > MAX_CASES:
            return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _reach(alpha: float, count: int, freedom: int, power: float) -> float:
    """How many standard errors a difference must be so that a t test on `count` cases finds it with this power."""
    from scipy.special import nctdtrit

    return float(nctdtrit(freedom, student_point(count - 1, 1 - alpha), power))


def _p(gaps: np.ndarray, sd: float) -> float:
    from scipy.special import stdtr

    if sd <= 1e-12 * max(1.0, float(np.abs(gaps).max())):
        return 1.0 if not gaps.any() else 0.0
    return float(2 * stdtr(len(gaps) - 1, -abs(gaps.mean()) / (sd / math.sqrt(len(gaps)))))


def _case_means(values: Mapping[Pair, float]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for (case, _), value in values.items():
        found[case].append(value)
    return {case: sum(own) / len(own) for case, own in found.items()}
