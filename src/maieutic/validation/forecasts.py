"""Scores of probability forecasts over hypotheses: proper scores, the Brier score's parts, calibration, with intervals.

Every function takes `p` (n, k), one row a forecast, each summing to 1, and `y` (n,), the index of the true hypothesis
in 0 … k − 1. Where several hypotheses share a row's highest probability, the row's hit is what a pick at random among
them would win on average, so that no figure depends on the order of the hypotheses.

Bins hold equal numbers of rows by confidence (the highest probability of a row); rows of equal confidence share a bin,
so that no figure depends on the order of the rows either. Bins may then differ in size, and with fewer rows than bins
some stay empty and count for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from random import Random
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic, generator, percentile_bounds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FLOOR = 1e-6
"""Probability that the log score takes for anything below it, so that one forecast of 0 costs 13.8 nats and not all."""
BINS = 10
_CELLS = 4_000_000  # outcomes are simulated in blocks of at most this many numbers


def top1(p: ArrayLike, y: ArrayLike) -> float:
    """Share of rows whose top hypothesis is the true one, 0–1; a tie of m counts 1/m where it holds the truth."""
    return float(_hits(*_checked(p, y)).mean())


def perfect_band(
    p: ArrayLike,
    *,
    rng: Random,
    luck: Sequence[Hashable] | None = None,
    bins: int = BINS,
    draws: int = 2000,
    level: float = 0.95,
) -> Interval:
    """The ECE that a perfectly calibrated forecaster with the same forecasts would show: mean and central `level`.

    Truth is drawn from each row's own probabilities (consistency resampling, Bröcker & Smith 2007). Rows with the same
    label in `luck` are drawn with the same luck, argmax of ln p + Gumbel noise that they share: alike forecasts of one
    label come true together, as those of one case do, whose truth is one. Departure: where they differ, rows of one
    label may be given different truths. Without labels each row is drawn by itself.
    """
    given = _forecasts(p)
    confidence, tops = given.max(axis=1), _tops(given)
    tied = tops.sum(axis=1)
    counts, place = _placed(confidence, bins)
    member = np.zeros((len(place), len(counts)))
    member[np.arange(len(place)), place] = 1.0
    expected, found = confidence @ member, []
    for won in _wins(given, tops, luck, generator(rng), draws):
        found.append(np.abs((won / tied) @ member - expected).sum(axis=1) / len(place))
    drawn = np.concatenate(found)
    return Interval(float(drawn.mean()), *percentile_bounds(drawn, level), n=len(place))


def _wins(
    p: Floats, tops: NDArray[np.bool_], luck: Sequence[Hashable] | None, source: np.random.Generator, draws: int
) -> Iterator[NDArray[np.bool_]]:
    """Blocks of (draws, rows): whether one of a row's top hypotheses comes true."""
    rows = len(p)
    if luck is None:
        block = max(1, min(draws, _CELLS // rows))
        for start in range(0, draws, block):
            yield source.random((min(block, draws - start), rows)) < (p * tops).sum(axis=1)
        return
    number = {label: place for place, label in enumerate(dict.fromkeys(luck))}
    of, logs = np.array([number[label] for label in luck]), np.log(np.maximum(p, 1e-300))
    for _ in range(draws):
        true = (logs + source.gumbel(size=(len(number), p.shape[1]))[of]).argmax(axis=1)
        yield tops[np.arange(rows), true][None]


_MEANS: Mapping[str, Callable[[Floats, Ints], Floats]] = MappingProxyType(
    {
        "log score": lambda p, y: _surprise(p[np.arange(len(y)), y]),
        "brier": lambda p, y: _squares(p, y),
        "top-1": lambda p, y: _hits(p, y),
        "entropy": lambda p, y: _entropies(p),
    }
)
_BINNED: Mapping[str, Callable[[Floats, Floats, int], float]] = MappingProxyType(
    {
        "ece": lambda c, h, bins: _ece(c, h, bins),
        "reliability": lambda c, h, bins: _reliability(*_rates(c, h, bins)),
        "resolution": lambda c, h, bins: _resolution(*_rates(c, h, bins), float(h.mean())),
        "uncertainty": lambda c, h, bins: _uncertainty(float(h.mean())),
    }
)


def intervals(
    p: ArrayLike,
    y: ArrayLike,
    groups: Sequence[Hashable],
    *,
    rng: Random,
    bins: int = BINS,
    draws: int = 1000,
    level: float = 0.95,
) -> dict[str, Interval]:
    """Every score by name with a percentile bootstrap interval over groups (cases), which are drawn whole.

    log score: mean of −ln max(p_y, `FLOOR`) in nats, 0 to 13.8 (Good 1952). brier: mean of Σ (p − truth)², 0–2 (Brier
    1950). top-1: share whose top hypothesis is true, ties shared. entropy: of the rows in nats, 0 to ln k. ece:
    expected calibration error of the top hypothesis, Σ (bin's share) · |mean confidence − hit rate|, 0–1 (Naeini et
    al. 2015; departure: bins of equal mass, Nixon et al. 2019), above 0 even for a perfect forecaster: read it against
    `perfect_band`. reliability, resolution, uncertainty: Murphy's parts (1973) of the Brier score of "the top
    hypothesis is the true one", in its unit; resolution 0–0.25, higher is better.

    Intervals of ece and reliability lie somewhat high, for a sample of a sample is rougher than the sample (Nixon et
    al. 2019 on bias).
    """
    given, truth = _checked(p, y)
    if len(groups) != len(truth):
        raise ValueError(f"groups must name one label for each of {len(truth)} rows, got {len(groups)}")
    labels = list(groups)
    found = {
        name: bootstrap_mean(of(given, truth).tolist(), clusters=labels, rng=rng, draws=draws, level=level)
        for name, of in _MEANS.items()
    }
    confidence, hit = given.max(axis=1), _hits(given, truth)
    for name, of in _BINNED.items():

        def statistic(rows: Sequence[int], of: Callable[[Floats, Floats, int], float] = of) -> float:
            chosen = np.asarray(rows, dtype=np.int64)
            return of(confidence[chosen], hit[chosen], bins)

        rows = range(len(truth))
        found[name] = bootstrap_statistic(rows, statistic, clusters=labels, rng=rng, draws=draws, level=level)
    return found


def _forecasts(p: ArrayLike) -> Floats:
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 2 or 0 in given.shape:
        raise ValueError(f"forecasts must be (n, k) with at least one row and one hypothesis, got shape {given.shape}")
    if not (given >= 0.0).all() or not np.allclose(given.sum(axis=1), 1.0, atol=1e-6):
        raise ValueError("every row of forecasts must be non-negative and sum to 1")
    return given


def _checked(p: ArrayLike, y: ArrayLike) -> tuple[Floats, Ints]:
    given, truth = _forecasts(p), np.asarray(y)
    if truth.shape != (len(given),) or not np.issubdtype(truth.dtype, np.integer):
        raise ValueError(f"y must hold one integer for each of {len(given)} rows, got {truth.dtype} {truth.shape}")
    if truth.min() < 0 or truth.max() >= given.shape[1]:
        raise ValueError(f"y must lie in 0 … {given.shape[1] - 1}, got {truth.min()} … {truth.max()}")
    return given, truth.astype(np.int64)


def _surprise(true: Floats) -> Floats:
    """−ln of the floored probability of what was true, by row."""
    return np.asarray(-np.log(np.maximum(true, FLOOR)), dtype=np.float64)


def _squares(p: Floats, y: Ints) -> Floats:
    """Brier score by row."""
    return np.asarray(((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1), dtype=np.float64)


def _entropies(p: Floats) -> Floats:
    """Entropy by row; 0 · ln 0 is 0."""
    return np.asarray(-(p * np.log(np.where(p > 0.0, p, 1.0))).sum(axis=1), dtype=np.float64)


def _tops(p: Floats) -> NDArray[np.bool_]:
    """Which hypotheses have the highest probability of their row."""
    return np.asarray(p == p.max(axis=1, keepdims=True))


def _hits(p: Floats, y: Ints) -> Floats:
    """By row: 1 where the top hypothesis is true, 1/m where m are tied and one of them is true, else 0."""
    tops = _tops(p)
    return np.asarray(tops[np.arange(len(y)), y] / tops.sum(axis=1), dtype=np.float64)


def _placed(confidence: Floats, bins: int) -> tuple[Floats, Ints]:
    """(rows in each bin that holds any, the bin of each row)."""
    _, level, sizes = np.unique(confidence, return_inverse=True, return_counts=True)
    middle = (np.cumsum(sizes) - (sizes + 1) / 2.0)[level]  # mean rank from 0 among all rows
    of_all = (middle * bins / len(confidence)).astype(np.int64)
    counts = np.bincount(of_all)
    held = counts > 0
    return counts[held].astype(np.float64), (np.cumsum(held) - 1)[of_all]


def _rates(confidence: Floats, hit: Floats, bins: int) -> tuple[Floats, Floats, Floats]:
    """(share of rows, mean confidence, hit rate) by bin."""
    return _rates_of(confidence, hit, *_placed(confidence, bins))


def _rates_of(confidence: Floats, hit: Floats, counts: Floats, place: Ints) -> tuple[Floats, Floats, Floats]:
    return counts / len(place), np.bincount(place, confidence) / counts, np.bincount(place, hit) / counts


def _ece(confidence: Floats, hit: Floats, bins: int) -> float:
    share, sure, right = _rates(confidence, hit, bins)
    return float(share @ np.abs(sure - right))


def _reliability(share: Floats, sure: Floats, right: Floats) -> float:
    return float(share @ (sure - right) ** 2)


def _resolution(share: Floats, _: Floats, right: Floats, overall: float) -> float:
    return float(share @ (right - overall) ** 2)


def _uncertainty(overall: float) -> float:
    return overall * (1.0 - overall)
