"""What an interval over few items is worth, and which of the flagged families is the principal failure.

A percentile bootstrap over few items is too narrow, and over items that all agree it has no width. Both are mended
before any verdict, so that page, scores and gates see one interval.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maieutic.gap.family import Profile, Value
from maieutic.stats import wilson

Floats = NDArray[np.float64]
DRAWS: Final = 1_000
TOLD: Final = 0.8
"""Chance from which a principal failure is named. Of 0.95, 0.9, 0.8, 0.7 chosen on the twelve known groups, each held
against the other implementation of all: the lowest at which at most one is named wrongly."""
LISTED: Final = 0.05
"""Chance from which a family is named among those that are not told apart."""
ALIKE: Final = 0.5
"""Correlation with the failure that is most alike below which a profile is like none of them. Set beforehand."""
FEWEST: Final = 3
"""Families that must have been run for their figures to have a pattern."""
SMALLEST: Final = 0.02
"""Least spread, as a share of the span: figures that no reference therapist moves must not weigh without bound."""
_FILE: Final = "reference_spread.json"


@dataclass(frozen=True, slots=True)
class Leading:
    """Which family is the principal failure.

    Attributes:
        chances: Families with their chance of being it, the likeliest first; empty when none is flagged.
    """

    chances: tuple[tuple[Profile, float], ...]

    @property
    def first(self) -> Profile | None:
        """The principal failure; None where none is flagged, the likeliest one is not told apart or not flagged."""
        if not self.chances or self.chances[0][1] < TOLD or not self.chances[0][0].flagged:
            return None
        return self.chances[0][0]

    @property
    def tied(self) -> tuple[Profile, ...]:
        """The families that may be it, where none is named."""
        return () if self.first else tuple(profile for profile, chance in self.chances if chance >= LISTED)


def decided(profile: Profile) -> Profile:
    """The profile with intervals that hold for few items."""
    return replace(profile, values=tuple(_held(value) for value in profile.values))


def _held(value: Value) -> Value:
    """Student's t and the small-sample spread in place of the normal's; Wilson's interval for a share of 0 or 1."""
    if value.value is None or value.low is None or value.high is None or value.n < 2:
        return value
    if value.low == value.high and value.value in (0.0, 1.0) and value.unit == "share":
        found = wilson(round(value.value * value.n), value.n)
        return replace(value, low=found.low, high=found.high)
    wider = students_t(value.n - 1) / 1.96 * sqrt(value.n / (value.n - 1))
    low, high = (value.value - wider * (value.value - value.low), value.value + wider * (value.high - value.value))
    return replace(value, low=max(low, min(value.span[0], value.low)), high=min(high, max(value.span[1], value.high)))


def students_t(freedom: int) -> float:
    """The 97.5 % point of Student's t, by the first terms of its expansion (Fisher & Cornish 1960); within 1 % from 5
    on."""
    return 1.96 + 2.37 / freedom + 2.82 / freedom**2


@lru_cache(maxsize=1)
def _kept() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(files("maieutic.gap").joinpath(_FILE).read_text(encoding="utf-8"))
    return found


def distance(profile: Profile) -> tuple[float, float]:
    """How far the family lies beyond its limit and the error of that, in standard deviations over the reference
    therapists; 0 where nothing could be read."""
    value = profile.flagging
    if value is None or value.value is None:
        return 0.0, 0.0
    least = SMALLEST * (value.span[1] - value.span[0])
    scale = max(float(_kept()["spread"].get(f"{profile.family}.{value.id}", (least, 2))[0]), least)
    return (value.beyond or 0.0) / scale, (value.error or 0.0) / scale


def leading(found: Sequence[Profile], references: Sequence[Sequence[Any]] | None = None) -> Leading:
    """Which failure it is, by the constructed failure whose figures over all families are most alike.

    How far every family lies beyond its limit, or within, is a pattern; advice moves other families than forgetting
    does, though both move most. The reference therapist with the highest correlation says which. Figures are drawn
    from their errors `DRAWS` times, and a family's chance is the share of draws in which a therapist that was built to
    fail its way is nearest. Where one family alone is flagged, it is that one.

    Args:
        references: The family that each reference therapist was built to fail, and its distances by family; None for
            the packaged ones.
    """
    flagged = [p for p in found if p.flagged]
    if len(flagged) < 2:
        return Leading(tuple((p, 1.0) for p in flagged))
    told = np.array([distance(p) for p in found])
    known = _kept()["alike"] if references is None else references
    pattern = np.array([[far.get(p.family, 0.0) for p in found] for _, far in known])
    if len(found) < FEWEST or _correlations(pattern, told[None, :, 0]).max() < ALIKE:
        return Leading(tuple((p, 1 / len(flagged)) for p in flagged))
    draw = np.random.default_rng(0).standard_normal((DRAWS, len(found)))
    nearest = _correlations(pattern, told[:, 0] + told[:, 1] * draw).argmax(axis=1)
    shares = Counter(known[at][0] for at in nearest)
    by = {p.family: p for p in found}
    ordered = sorted(
        ((by[name], count / DRAWS) for name, count in shares.items() if name in by), key=lambda one: -one[1]
    )
    return Leading(tuple(ordered))


def _correlations(pattern: Floats, rows: Floats) -> Floats:
    """(m, k) of each row with each pattern: (m, f), (k, f)."""
    ours, theirs = (one - one.mean(axis=1, keepdims=True) for one in (rows, pattern))
    length = np.sqrt((ours**2).sum(1))[:, None] * np.sqrt((theirs**2).sum(1))[None, :]
    found: Floats = ours @ theirs.T / np.maximum(length, 1e-12)
    return found
