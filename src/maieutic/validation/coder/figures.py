"""The figures that coders are judged by: F1, calibration, what abstaining brings, each from counts that add up by
group.

Everything here is a function of counts that can be summed over groups (videos, sessions, stimuli), so that one
bootstrap over whole groups gives the interval of any figure and of any difference of two figures on the same rows.
numpy and scipy only.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maieutic.stats import Interval, generator, percentile_bounds, resample_weights

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Statistic = Callable[..., Floats]

BINS = 10
DRAWS = 2000


def chosen(probabilities: Floats, threshold: float | None) -> Flags:
    """The labels given: the likeliest one, and where a threshold is named all that reach it; shape as given."""
    given = np.zeros(probabilities.shape, dtype=bool) if threshold is None else probabilities >= threshold
    np.put_along_axis(given, probabilities.argmax(-1)[..., None], True, axis=-1)
    return given


def majority(gold: Flags) -> Flags:
    """What always giving the commonest label would give, (n, labels)."""
    given = np.zeros(gold.shape, dtype=bool)
    given[:, gold.sum(0).argmax()] = True
    return given


def hits(gold: Flags, given: Flags) -> NDArray[np.int64]:
    """1 for each true positive, false positive and false negative: (…, n, 3, labels) for given (…, n, labels)."""
    truth, claim = np.broadcast_to(gold.astype(bool), given.shape), given.astype(bool)
    return np.stack([truth & claim, ~truth & claim, truth & ~claim], axis=-2).astype(np.int64)


def counts(gold: Flags, given: Flags) -> NDArray[np.int64]:
    """True positives, false positives and false negatives by label: (…, 3, labels) for given (…, n, labels)."""
    return np.asarray(hits(gold, given).sum(-3))


def f1(count: NDArray[Any]) -> Floats:
    """F1 by label from (…, 3, labels) counts; 0 where a label neither occurs nor is given."""
    hit, false, missed = count[..., 0, :], count[..., 1, :], count[..., 2, :]
    return np.asarray(2 * hit / np.maximum(2 * hit + false + missed, 1))


def macro_f1(gold: Flags, given: Flags) -> float:
    """Mean F1 over labels of (n, labels) flags."""
    return float(f1(counts(gold, given)).mean())


def places(groups: Sequence[Hashable]) -> NDArray[np.int64]:
    """The number of each row's group, counted from 0 in order of appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(group, len(numbers)) for group in groups], dtype=np.int64)


def by_group(rows: NDArray[Any], place: NDArray[np.int64]) -> Floats:
    """Rows (n, …) summed within groups: (groups, …)."""
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(int(place.max()) + 1))
    return np.asarray(np.add.reduceat(rows[order].astype(np.float64), starts, axis=0))


def f1_table(gold: Flags, given: Flags, place: NDArray[np.int64]) -> Floats:
    """Counts by group of (repeats, n, labels) codings: (groups, repeats, 3, labels)."""
    return by_group(np.moveaxis(hits(gold, given), 1, 0), place)


def mean_macro_f1(table: Floats) -> Floats:
    """Macro-F1, averaged over repeats, of (…, repeats, 3, labels) counts."""
    return np.asarray(f1(table).mean((-1, -2)))


def interval(
    tables: Sequence[Floats], statistic: Statistic, *, rng: random.Random, draws: int = DRAWS, level: float = 0.95
) -> Interval:
    """A figure with a percentile bootstrap interval over whole groups.

    Args:
        tables: Counts by group, (groups, …) each; summed over drawn groups before the statistic sees them.
        statistic: From the sums, (draws, …) each, to the figure of each draw, (draws,).
        rng: Seed of the draws.
        draws: Number of bootstrap samples.
        level: Coverage asked for, 0 to 1.
    """
    groups = len(tables[0])
    estimate = float(statistic(*(table.sum(0, keepdims=True) for table in tables))[0])
    if not math.isfinite(estimate):
        return Interval(None, None, None, groups)
    if groups < 2:
        return Interval(estimate, None, None, groups)
    drawn = [
        np.asarray(statistic(*(np.tensordot(weights, table, axes=1) for table in tables)))
        for weights in resample_weights(groups, draws, generator(rng))
    ]
    return Interval(estimate, *percentile_bounds(np.concatenate(drawn), level), n=groups)


def claims(gold: Flags, probabilities: Floats, *, multi_label: bool) -> tuple[Floats, Floats]:
    """What was claimed and whether it was right: of the likeliest label, or of every label of a multi-label scheme.

    Both of shape (…, n, k), k being 1 or the number of labels, for probabilities (…, n, labels).
    """
    truth = np.broadcast_to(gold.astype(bool), probabilities.shape)
    if multi_label:
        return probabilities.astype(np.float64), truth.astype(np.float64)
    top = probabilities.argmax(-1)[..., None]
    return (
        np.take_along_axis(probabilities, top, -1).astype(np.float64),
        np.take_along_axis(truth, top, -1).astype(np.float64),
    )


def binned(claimed: Floats, right: Floats, bins: int = BINS) -> Floats:
    """Number, summed claims and summed hits by bin: (…, n, bins, 3) for (…, n, k)."""
    inside = np.minimum((claimed * bins).astype(int), bins - 1)[..., None] == np.arange(bins)
    parts = [np.ones_like(claimed), claimed, right]
    return np.stack([(inside * part[..., None]).sum(-2) for part in parts], axis=-1)


def calibration_error(sums: Floats) -> Floats:
    """Expected calibration error, averaged over repeats, of (…, repeats, bins, 3) sums of `binned`."""
    gaps = np.abs(sums[..., 1] - sums[..., 2]).sum(-1)
    return np.asarray((gaps / np.maximum(sums[..., 0].sum(-1), 1)).mean(-1))


def sure(probabilities: Floats, share: float) -> Flags:
    """The rows that are left when the `share` with the lowest top probability abstains, by repeat: (repeats, n)."""
    top = probabilities.max(-1)
    left_out = round(share * top.shape[-1])
    order = np.argsort(top, axis=-1, kind="stable")
    kept = np.ones(top.shape, dtype=bool)
    np.put_along_axis(kept, order[..., :left_out], False, axis=-1)
    return kept


def temperature(scores: Floats, gold: NDArray[np.int64]) -> float:
    """The slope that minimises the log loss of softmax(slope × scores); gold holds label places, (n,)."""
    from scipy.optimize import minimize_scalar

    def loss(log_slope: float) -> float:
        logits = np.exp(log_slope) * scores
        logits = logits - logits.max(1, keepdims=True)
        return float(np.mean(np.log(np.exp(logits).sum(1)) - logits[np.arange(len(gold)), gold]))

    return float(np.exp(minimize_scalar(loss, bounds=(-3, 3), method="bounded").x))


def platt(scores: Floats, gold: Flags) -> tuple[float, float]:
    """Slope and offset, shared by all labels, that minimise the log loss of logistic(slope × score + offset)."""
    from scipy.optimize import minimize

    flat, truth = scores.reshape(-1).astype(np.float64), gold.reshape(-1).astype(np.float64)

    def loss(at: Floats) -> tuple[float, Floats]:
        logits = at[0] * flat + at[1]
        gap = 0.5 * (1.0 + np.tanh(0.5 * logits)) - truth
        return float(np.mean(np.logaddexp(0.0, logits) - truth * logits)), np.array([np.mean(gap * flat), gap.mean()])

    slope, offset = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B").x
    return float(slope), float(offset)
