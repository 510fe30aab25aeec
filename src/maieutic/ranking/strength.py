"""Bradley–Terry strengths with ties (Rao & Kupper 1967) by Newton's method, for many resampled boards at once.

arenakit fits the same model by minorisation, which takes seconds a fit where one therapist nearly always wins, as ours
do. Seen as a logistic regression a whole bootstrap takes a fraction of that; `tests/ranking/test_strength.py` holds
both against each other, and against choix and evalica.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PRIOR = 0.5
"""Virtual battles of each therapist against one of average strength, half won: a rating stays finite without a loss."""
_STEPS, _CLOSE, _ROUNDING, _HALVINGS = 100, 1e-9, 1e-12, 30
_WIDEST = 30.0


def strengths(wins: Floats, ties: Floats, prior: float = PRIOR) -> tuple[Floats, Floats]:
    """Log strengths, mean 0 a board, and the log tie parameter (0 without ties).

    Args:
        wins: (boards, n, n); `wins[b, i, j]` is how often i beat j. ties: The same shape, symmetric.
        prior: Virtual battles each; 0 gives the maximum-likelihood estimate, where one exists.
    """
    boards, count = wins.shape[0], wins.shape[1]
    directed, tied = wins + ties, ties.sum(axis=(1, 2)) / 2.0
    place = np.zeros((boards, count + 1))
    place[:, -1] = np.where(tied > 0, 0.5, 0.0)
    left = np.flatnonzero(wins.any(axis=(1, 2)))  # without a win all are equal
    for _ in range(_STEPS):
        if not left.size:
            break
        own = directed[left], tied[left], prior
        slope, bend = _derivatives(place[left], *own)
        step: Floats = np.linalg.solve(bend, slope[..., None])[..., 0].astype(np.float64)
        place[left] = _ahead(place[left], step, *own)
        left = left[(np.abs(step).max(axis=1) >= _CLOSE) & (place[left, -1] < _WIDEST)]
    scores = place[:, :-1] - place[:, :-1].mean(axis=1, keepdims=True)
    return scores, place[:, -1]


def _ahead(place: Floats, step: Floats, directed: Floats, tied: Floats, prior: float) -> Floats:
    """A step up, halved where it would lead down or out of the range of the tie parameter."""
    before = _height(place, directed, tied, prior)
    size = np.ones(len(place))
    for _ in range(_HALVINGS):
        found = place + size[:, None] * step
        short = _height(found, directed, tied, prior) < before - _ROUNDING * np.abs(before)
        if not short.any():
            break
        size[short] /= 2
    return found


def _height(place: Floats, directed: Floats, tied: Floats, prior: float) -> Floats:
    scores, width = place[:, :-1], place[:, -1]
    gaps = scores[:, :, None] - scores[:, None, :] - width[:, None, None]
    total = -(directed * np.logaddexp(0.0, -gaps)).sum(axis=(1, 2))
    total -= prior / 2 * (np.logaddexp(0.0, -scores) + np.logaddexp(0.0, scores)).sum(axis=1)
    inside = (tied == 0) | (width > 0)
    safe = np.where((tied > 0) & (width > 0), width, 1.0)
    found: Floats = np.where(inside, total + tied * np.log(np.expm1(2 * safe)), -np.inf)
    return found


def _derivatives(place: Floats, directed: Floats, tied: Floats, prior: float) -> tuple[Floats, Floats]:
    """Gradient, and minus the Hessian with the mean held at 0 and the tie parameter held where there are no ties."""
    scores, width = place[:, :-1], place[:, -1]
    boards, count = scores.shape
    won = 1.0 / (1.0 + np.exp(-(scores[:, :, None] - scores[:, None, :] - width[:, None, None])))
    short, weight = directed * (1.0 - won), directed * won * (1.0 - won)
    even = 1.0 / (1.0 + np.exp(-scores))
    slope, bend = np.zeros((boards, count + 1)), np.zeros((boards, count + 1, count + 1))
    slope[:, :-1] = short.sum(axis=2) - short.sum(axis=1) + prior / 2 * (1.0 - 2.0 * even)
    bend[:, :-1, :-1] = -weight - weight.transpose(0, 2, 1)
    own = np.arange(count)
    bend[:, own, own] += weight.sum(axis=2) + weight.sum(axis=1) + prior * even * (1.0 - even)
    if not prior:
        bend[:, :-1, :-1] += 1.0 / count
    small = np.exp(-2.0 * np.where(tied > 0, width, 1.0))
    has = tied > 0
    slope[:, -1] = np.where(has, -short.sum(axis=(1, 2)) + tied * 2.0 / (1.0 - small), 0.0)
    bend[:, -1, -1] = np.where(has, weight.sum(axis=(1, 2)) + tied * 4.0 * small / (1.0 - small) ** 2, 1.0)
    across = np.where(has[:, None], weight.sum(axis=1) - weight.sum(axis=2), 0.0)
    bend[:, -1, :-1] = bend[:, :-1, -1] = across
    return slope, bend
