"""Bradley–Terry strengths with ties (Rao & Kupper 1967) by Newton's method, in the shape that arenakit resamples.

arenakit fits the same model by minorisation, which takes seconds a fit where one therapist nearly always wins, as ours
do. Seen as a logistic regression it takes milliseconds; `tests/ranking/test_strength.py` holds both against each other,
and against choix and evalica.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from arenakit import BTFit
    from arenakit.schema import PairCounts

Floats = NDArray[np.float64]
PRIOR = 0.5
"""Virtual battles of each therapist against one of average strength, half won: a rating stays finite without a loss."""
_STEPS, _CLOSE, _ROUNDING = 200, 1e-9, 1e-12


def fit(counts: PairCounts, prior: float = PRIOR) -> BTFit:
    """Strengths (log odds, mean 0) and the tie parameter.

    Args:
        counts: Wins and ties of every pair.
        prior: Virtual battles; 0 gives the maximum-likelihood estimate, where one exists.

    Raises:
        DisconnectedBoardError: the therapists fall into groups that never met.
    """
    from arenakit import BTFit, DisconnectedBoardError
    from arenakit.bt import components

    if len(components(counts.comparisons)) > 1:
        raise DisconnectedBoardError("the board falls into groups that never met")
    scores, width = strengths(counts.wins, counts.ties, prior)
    return BTFit(scores=scores, tie_theta=float(np.exp(width)))


def strengths(wins: Floats, ties: Floats, prior: float = PRIOR) -> tuple[Floats, float]:
    """Log strengths, mean 0, and the log tie parameter (0 without ties).

    Args:
        wins: `wins[i, j]`, times i beat j. ties: Symmetric, times they tied. prior: Virtual battles each.
    """
    directed = wins + ties
    tied = float(ties.sum()) / 2.0
    place = np.zeros(len(wins) + 1)
    place[-1] = 0.5 if tied else 0.0
    height = _height(place, directed, tied, prior)
    for _ in range(_STEPS):
        slope, bend = _derivatives(place, directed, tied, prior)
        step = np.linalg.solve(bend, slope)
        if np.abs(step).max() < _CLOSE:
            break
        size = 1.0
        while True:
            ahead = place + size * step
            found = _height(ahead, directed, tied, prior) if not tied or ahead[-1] > 0 else -np.inf
            if found >= height - _ROUNDING * abs(height) or size < 1e-8:
                break
            size /= 2
        place, height = ahead, found
    return place[:-1] - place[:-1].mean(), float(place[-1])


def _height(place: Floats, directed: Floats, tied: float, prior: float) -> float:
    scores, width = place[:-1], place[-1]
    gaps = scores[:, None] - scores[None, :] - width
    total = -(directed * np.logaddexp(0.0, -gaps)).sum()
    total -= prior / 2 * (np.logaddexp(0.0, -scores) + np.logaddexp(0.0, scores)).sum()
    return float(total + (tied * np.log(np.expm1(2 * width)) if tied else 0.0))


def _derivatives(place: Floats, directed: Floats, tied: float, prior: float) -> tuple[Floats, Floats]:
    """Gradient, and minus the Hessian with the mean held at 0 and the tie parameter held where there are no ties."""
    scores, width = place[:-1], place[-1]
    count = len(scores)
    won = 1.0 / (1.0 + np.exp(-(scores[:, None] - scores[None, :] - width)))
    left, weight = directed * (1.0 - won), directed * won * (1.0 - won)
    even = 1.0 / (1.0 + np.exp(-scores))
    slope, bend = np.zeros(count + 1), np.zeros((count + 1, count + 1))
    slope[:-1] = left.sum(axis=1) - left.sum(axis=0) + prior / 2 * (1.0 - 2.0 * even)
    bend[:-1, :-1] = np.diag(weight.sum(axis=1) + weight.sum(axis=0) + prior * even * (1.0 - even)) - weight - weight.T
    if not prior:
        bend[:-1, :-1] += 1.0 / count
    if tied:
        small = np.exp(-2.0 * width)
        slope[-1] = -left.sum() + tied * 2.0 / (1.0 - small)
        bend[-1, -1] = weight.sum() + tied * 4.0 * small / (1.0 - small) ** 2
        bend[-1, :-1] = bend[:-1, -1] = weight.sum(axis=0) - weight.sum(axis=1)
    else:
        bend[-1, -1] = 1.0
    return slope, bend
