"""How well a figure of a session tells two groups apart once length is taken out, since length alone tells them
apart."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maieutic.runs.findings import Bound, Finding, by_estimate
from maieutic.stats import Interval, generator, percentile_bounds, resample_weights
from maieutic.validation.coder.figures import Flags, Floats

CLOSE = 0.2
"""Two sessions are of like length when their utterance counts differ by at most this share of the longer one's."""


def separation(
    title: str,
    values: Sequence[float | None],
    high: Flags,
    *,
    turns: NDArray[np.int64],
    words: NDArray[np.int64],
    draws: int,
    bound: float | None = None,
    note: str = "",
) -> list[Finding]:
    """AUC of high over low: over all pairs, over pairs of like length (which the bound is on), and of the residual.

    Args:
        title: What separates what.
        values: One value a session; None where it cannot be had.
        high: Whether a session is in the group that is expected to have the larger values.
        turns: Utterances of each session.
        words: Words of each session.
        draws: Bootstrap samples; sessions are drawn.
        bound: Least AUC over pairs of like length; None for no bound.
        note: What else to say of the sessions.
    """
    kept = np.array([value is not None for value in values])
    scores = np.array([value for value in values if value is not None], dtype=np.float64)
    group, count, length = high[kept], turns[kept], words[kept]
    left_out = f"; {int((~kept).sum())} sessions without a value left out" if not kept.all() else ""
    sizes = f"{int(group.sum())} against {int((~group).sum())} sessions{left_out}{'; ' if note else ''}{note}"
    alike = np.abs(count[:, None] - count) <= CLOSE * np.maximum(count[:, None], count)
    adjusted = paired_auc(scores, group, alike, draws=draws)
    rest = residual(scores, np.log(np.maximum(length, 1)))
    pairs = int((group[:, None] & ~group & alike).sum())
    everything = np.ones_like(alike)
    return [
        Finding(
            "transfer",
            f"{title}: all pairs, not adjusted",
            paired_auc(scores, group, everything, draws=draws),
            "AUC",
            note=sizes,
        ),
        by_estimate(
            "transfer",
            f"{title}: pairs whose utterance counts differ by at most 20 %",
            adjusted,
            "AUC",
            None if bound is None else Bound("≥", bound),
            beside={} if bound is None else {"TF-IDF before": 0.63, "chance": 0.5},
            note=f"{sizes}, {pairs} pairs of like length",
        ),
        Finding(
            "transfer",
            f"{title}: residual on log words",
            paired_auc(rest, group, everything, draws=draws),
            "AUC",
            note=f"{sizes}; one line fitted over both groups",
        ),
    ]


def paired_auc(values: Floats, high: Flags, allowed: Flags, *, draws: int) -> Interval:
    """Share of allowed (high, low) pairs in which the high one is larger, ties half; interval by drawing sessions."""
    above, below = values[high], values[~high]
    use = allowed[np.ix_(high, ~high)].astype(np.float64)
    if not use.sum():
        return Interval(None, None, None, len(values))
    wins = use * ((above[:, None] > below) + 0.5 * (above[:, None] == below))
    drawn = []
    for weights in resample_weights(len(values), draws, generator(random.Random(0))):
        ours, theirs = weights[:, high].astype(np.float64), weights[:, ~high].astype(np.float64)
        total = ((ours @ use) * theirs).sum(1)
        with np.errstate(invalid="ignore", divide="ignore"):
            drawn.append(((ours @ wins) * theirs).sum(1) / total)
    return Interval(float(wins.sum() / use.sum()), *percentile_bounds(np.concatenate(drawn)), n=len(values))


def residual(values: Floats, length: Floats) -> Floats:
    """What is left of the values after a straight line in `length`; the values less their mean when lengths are
    equal."""
    centred = length - length.mean()
    spread = float(centred @ centred)
    slope = float(centred @ (values - values.mean())) / spread if spread > 0 else 0.0
    return np.asarray(values - values.mean() - slope * centred)
