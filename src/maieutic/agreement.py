"""How far raters agree and whether a measure follows them: alpha, intraclass and rank correlations with intervals.

Own code on numpy, because the known packages are under a licence that this one cannot take. Every figure has a
bootstrap interval over sessions (whole rows are drawn), and is None with a reason when the ratings do not allow it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from maieutic.stats import Floats, Interval, generator, percentile_bounds, resample_weights

Level = Literal["nominal", "ordinal", "interval"]
Ratings = Sequence[Sequence[float | None]]
"""One row a session, one cell a rater; None where a rater gave no rating."""

DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its interval, or the reason why there is none.

    Attributes:
        interval: Estimate, 95 % bounds and number of sessions; the estimate is None when it cannot be computed.
        reason: Why the estimate is missing; None when it is there.
    """

    interval: Interval
    reason: str | None = None

    @property
    def value(self) -> float | None:
        return self.interval.estimate


@dataclass(frozen=True, slots=True)
class IntraclassCorrelations:
    """Three forms of Shrout & Fleiss (1979), from a two-way layout of sessions by raters.

    Attributes:
        single: ICC(2,1), absolute agreement of one rater with another; raters are a sample.
        mean: ICC(2,k), absolute agreement of the mean over these k raters.
        consistency: ICC(3,1), agreement of one rater apart from a constant difference between raters.
        sessions: Sessions that every rater rated; others are left out.
        raters: Number of raters, k.
    """

    single: Figure
    mean: Figure
    consistency: Figure
    sessions: int
    raters: int


@dataclass(frozen=True, slots=True)
class Correlations:
    """How two lists of values go together.

    Attributes:
        pearson: Linear correlation, −1 to 1.
        spearman: Correlation of mean ranks, −1 to 1.
        adjusted: Spearman with the ranks of a third list (session length) held constant; missing when none was given.
    """

    pearson: Figure
    spearman: Figure
    adjusted: Figure


def krippendorff_alpha(
    ratings: Ratings, level: Level, *, rng: random.Random | None = None, draws: int = DRAWS
) -> Figure:
    """Krippendorff's alpha: 1 is full agreement, 0 what chance gives, below 0 less than chance.

    Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability. Departure: the interval draws sessions,
    with the expected disagreement computed anew in each draw; the original bootstrap keeps it fixed and draws pairs.

    Args:
        ratings: Sessions by raters; a session with fewer than two ratings does not count.
        level: How far apart two values are: different or not, by rank, or by the squared difference.
        rng: Seed of the bootstrap; without it there is no interval.
        draws: Number of bootstrap samples.
    """
    rows = [given for row in ratings if len(given := [value for value in row if value is not None]) >= 2]
    if not rows:
        return _missing("no session was rated by two raters", 0)
    values = sorted({value for row in rows for value in row})
    if len(values) < 2:
        return _missing("all ratings are the same, so agreement cannot be told from chance", len(rows))
    counts = np.array([[row.count(value) for value in values] for row in rows], dtype=np.float64)
    scale = np.array(values, dtype=np.float64)
    found = _figures(lambda weights: _alphas(counts, scale, level, weights)[:, None], len(rows), rng, draws)
    return found[0]


def intraclass_correlations(
    ratings: Ratings, *, rng: random.Random | None = None, draws: int = DRAWS
) -> IntraclassCorrelations:
    """ICC(2,1), ICC(2,k) and ICC(3,1) of Shrout & Fleiss (1979), from −1 (or lower for the mean) to 1.

    Sessions with a missing rating are left out, since the analysis of variance needs a full table.
    """
    raters = max((len(row) for row in ratings), default=0)
    full = [[value for value in row if value is not None] for row in ratings]
    rows = [row for row in full if len(row) == raters]
    if raters < 2 or len(rows) < 2:
        reason = "fewer than two raters" if raters < 2 else "fewer than two sessions were rated by every rater"
        none = _missing(reason, len(rows))
        return IntraclassCorrelations(none, none, none, len(rows), raters)
    table = np.array(rows, dtype=np.float64)
    table -= table.mean()
    found = _figures(
        lambda weights: _iccs(table, weights), len(rows), rng, draws, "the ratings do not vary between sessions"
    )
    return IntraclassCorrelations(found[0], found[1], found[2], len(rows), raters)


def correlations(
    first: Sequence[float],
    second: Sequence[float],
    *,
    third: Sequence[float] | None = None,
    rng: random.Random | None = None,
    draws: int = DRAWS,
) -> Correlations:
    """Pearson, Spearman, and Spearman with a third list held constant (first-order partial correlation of ranks).

    Args:
        first, second: Paired values, one pair a session; none may be missing.
        third: What is held constant, for example the length of the session.
        rng: Seed of the bootstrap; without it there is no interval.
        draws: Number of bootstrap samples.
    """
    n = len(first)
    if len(second) != n or (third is not None and len(third) != n):
        raise ValueError("the lists to correlate must be equally long")
    unasked = _missing("nothing was given to hold constant", n)
    if n < 3:
        none = _missing(f"{n} sessions have both values; at least 3 are needed", n)
        return Correlations(none, none, none if third is not None else unasked)
    columns = [np.asarray(column, dtype=np.float64) for column in (first, second, *([] if third is None else [third]))]
    columns = [column - column.mean() for column in columns]
    found = _figures(lambda weights: _correlated(columns, weights), n, rng, draws, "one of the two does not vary")
    return Correlations(found[0], found[1], found[2] if third is not None else unasked)


def _missing(reason: str, n: int) -> Figure:
    return Figure(Interval(None, None, None, n), reason)


def _figures(
    compute: Callable[[Floats], Floats],
    n: int,
    rng: random.Random | None,
    draws: int,
    reason: str = "the ratings do not vary",
) -> list[Figure]:
    """Estimates with intervals from a function of weights (draws × sessions) that returns draws × figures."""
    estimates = compute(np.ones((1, n)))[0]
    drawn = None
    if rng is not None and n >= 2:
        blocks = resample_weights(n, draws, generator(rng))
        drawn = np.concatenate([compute(block.astype(np.float64)) for block in blocks])
    found: list[Figure] = []
    for place, estimate in enumerate(estimates):
        if not np.isfinite(estimate):
            found.append(_missing(reason, n))
            continue
        low, high = percentile_bounds(drawn[:, place]) if drawn is not None else (None, None)
        found.append(Figure(Interval(float(estimate), low, high, n)))
    return found


def _alphas(counts: Floats, scale: Floats, level: Level, weights: Floats) -> Floats:
    size = len(scale)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(size)
    pairs = (pairs / (counts.sum(axis=1) - 1)[:, None, None]).reshape(len(counts), -1)
    result = np.full(len(weights), np.nan)
    for row, weight in enumerate(weights):
        coincidences = (weight @ pairs).reshape(size, size)
        margin = coincidences.sum(axis=1)
        distance = _distances(scale, margin, level)
        expected = margin @ distance @ margin / (margin.sum() - 1)
        if expected > 0:
            result[row] = 1 - (coincidences * distance).sum() / expected
    return result


def _distances(scale: Floats, margin: Floats, level: Level) -> Floats:
    if level == "nominal":
        return 1.0 - np.eye(len(scale))
    place = scale if level == "interval" else np.cumsum(margin) - margin / 2
    squared: Floats = (place[:, None] - place[None, :]) ** 2
    return squared


def _iccs(table: Floats, weights: Floats) -> Floats:
    n, k = table.shape
    means = table.mean(axis=1)
    grand = weights @ means / n
    columns = weights @ table / n
    rows_sum = k * (weights @ means**2 - n * grand**2)
    columns_sum = n * ((columns**2).sum(axis=1) - k * grand**2)
    error_sum = weights @ (table**2).sum(axis=1) - n * k * grand**2 - rows_sum - columns_sum
    # Differences of sums leave specks where the true value is 0.
    speck = 1e-12 * max(1.0, float((table**2).sum()))
    between, raters, error = (
        np.where(total > speck, total, 0.0) / degrees
        for total, degrees in ((rows_sum, n - 1), (columns_sum, k - 1), (error_sum, (n - 1) * (k - 1)))
    )
    alone = between + (k - 1) * error
    below = (alone + k * (raters - error) / n, between + (raters - error) / n, alone)
    return np.stack([_divided(between - error, one) for one in below], axis=1)


def _correlated(columns: Sequence[Floats], weights: Floats) -> Floats:
    x, y = (np.broadcast_to(column, weights.shape) for column in columns[:2])
    ranked = [_ranks(column, weights) for column in columns]
    found = [_weighted_correlation(x, y, weights), _weighted_correlation(ranked[0], ranked[1], weights)]
    if len(columns) == 3:
        with_first, with_second = (_weighted_correlation(one, ranked[2], weights) for one in ranked[:2])
        left = np.sqrt(np.maximum(0.0, (1 - with_first**2) * (1 - with_second**2)))
        found.append(_divided(found[1] - with_first * with_second, np.where(left > 1e-9, left, 0.0)))
    return np.stack(found, axis=1)


def _ranks(values: Floats, weights: Floats) -> Floats:
    """Mean ranks of the values within each drawn sample (draws × sessions)."""
    levels, place = np.unique(values, return_inverse=True)
    drawn = weights @ (place[:, None] == np.arange(len(levels))).astype(np.float64)
    ranks: Floats = (np.cumsum(drawn, axis=1) - (drawn - 1) / 2)[:, place]
    return ranks


def _weighted_correlation(x: Floats, y: Floats, weights: Floats) -> Floats:
    total = weights.sum(axis=1, keepdims=True)
    x_off = x - (weights * x).sum(axis=1, keepdims=True) / total
    y_off = y - (weights * y).sum(axis=1, keepdims=True) / total
    spread = np.sqrt((weights * x_off**2).sum(axis=1) * (weights * y_off**2).sum(axis=1))
    scale = max(1e-300, 1e-12 * float(np.abs(x).max() * np.abs(y).max()))
    return _divided((weights * x_off * y_off).sum(axis=1), np.where(spread > scale, spread, 0.0))


def _divided(above: Floats, below: Floats) -> Floats:
    quotient: Floats = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return quotient
