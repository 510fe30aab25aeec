"""The statistics of the relationship: correlation with the truth, error of a left-out fit, slopes within sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MIN_PAIRS = 6
Pair = tuple[str, float, float]


def pearson(pairs: Sequence[Pair]) -> float | None:
    """Pearson's r of the second and third part of (case, x, y); None below six pairs or without spread."""
    if len(pairs) < MIN_PAIRS:
        return None
    x, y = np.array([p[1] for p in pairs]), np.array([p[2] for p in pairs])
    if x.std() < 1e-9 or y.std() < 1e-9:
        return None
    return float(np.corrcoef(x, y)[0, 1])


def left_out_mse(pairs: Sequence[Pair]) -> float | None:
    """Mean squared error on the scale of 1 to 5 of y predicted from x by a line fitted on the other cases.

    Nearness of words has no scale of its own, so a line gives it the truth's; the case that is predicted is never
    fitted. None with fewer than three cases.
    """
    cases = sorted({p[0] for p in pairs})
    if len(cases) < 3:
        return None
    errors: list[float] = []
    for case in cases:
        rest = [p for p in pairs if p[0] != case]
        x, y = np.array([p[1] for p in rest]), np.array([p[2] for p in rest])
        slope = float(((x - x.mean()) * (y - y.mean())).sum() / max(float(((x - x.mean()) ** 2).sum()), 1e-9))
        errors += [(4.0 * (y.mean() + slope * (p[1] - x.mean()) - p[2])) ** 2 for p in pairs if p[0] == case]
    return float(np.mean(errors))


def slope_within(sessions: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """Change of a measure of thirds for each further thing told in the third, sessions centred on their own means.

    None where no session has three thirds with the measure, or nothing differs in how much was told.
    """
    xs: list[float] = []
    ys: list[float] = []
    for session in sessions:
        pairs = [(float(w["told"]), float(w[name])) for w in session["windows"] if w[name] is not None]
        if len(pairs) < 2:
            continue
        mean_x, mean_y = (float(np.mean([pair[k] for pair in pairs])) for k in (0, 1))
        xs += [x - mean_x for x, _ in pairs]
        ys += [y - mean_y for _, y in pairs]
    spread = sum(x * x for x in xs)
    return sum(x * y for x, y in zip(xs, ys, strict=True)) / spread if spread > 0 else None
