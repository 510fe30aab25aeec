"""What an interval over few items is worth, and which of the flagged families is the principal failure.

A percentile bootstrap over few items is too narrow, and over items that all agree it has no width. Both are mended
before any verdict, so that page, scores and gates see one interval. What chance moves between two seeds was measured
last for `retest.json`; `maieutic gap` prints it beside its values.
"""

from __future__ import annotations

import json
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

DRAWS: Final = 4_000
TOLD: Final = 0.95
"""Chance of being first from which a principal failure is named."""
LISTED: Final = 0.05
"""Chance of being first from which a family is named among those that are not told apart."""
GENERAL: Final = ("knows_vs_does", "relationship", "fair_comparison")
"""Families that nearly every failure moves: the contrast to what it says, the alliance, the outcome. They say that
something fails, hardly what: none of them is principal, and none is that lies no further beyond its limit than they
do."""
SMALLEST: Final = 0.02
"""Least spread, as a share of the span: figures that no reference therapist moves must not weigh without bound."""
_KEPT: Final = "reference_spread.json"
_RETEST: Final = "retest.json"
Scaled = tuple[float, float, float]
"""A distance, its standard error, and the relative error of the scale that they are measured on."""


@dataclass(frozen=True, slots=True)
class Leading:
    """Which flagged family lies furthest beyond its limit.

    Attributes:
        chances: Flagged families with their chance of being first, the likeliest first; empty when none is flagged.
        distances: How far each lies beyond its limit, in standard deviations over the reference therapists.
    """

    chances: tuple[tuple[Profile, float], ...]
    distances: Mapping[str, float]

    @property
    def first(self) -> Profile | None:
        """The principal failure; None where none is flagged, the first ones are not told apart, or what lies furthest
        follows from nearly every failure."""
        if not self.chances or self.chances[0][1] < TOLD or self.general:
            return None
        return self.chances[0][0]

    @property
    def general(self) -> tuple[Profile, ...]:
        """The families that may lie furthest beyond their limits, where what lies furthest follows from nearly every
        failure, whichever it is."""
        found = [(profile, chance) for profile, chance in self.chances if profile.family in GENERAL]
        if sum(chance for _, chance in found) < TOLD:
            return ()
        return tuple(profile for profile, chance in found if chance >= LISTED)

    @property
    def tied(self) -> tuple[Profile, ...]:
        """The families that may be first, where they are not told apart."""
        return (
            () if self.first or self.general else tuple(profile for profile, chance in self.chances if chance >= LISTED)
        )


def decided(profile: Profile) -> Profile:
    """The profile with intervals that hold for few items."""
    return replace(profile, values=tuple(_held(value) for value in profile.values))


def _held(value: Value) -> Value:
    """Student's t and the small-sample spread in place of the normal's; Wilson's interval for a share that is alike in
    all that is drawn: all items agree, or each cluster of them (a fact that is asked for three times) has the same
    share.

    A difference of two arms is widened by the smaller one: where that carries the error, the items of the other make it
    no surer.
    """
    n = value.n if value.smaller is None else value.smaller
    if value.value is None or value.low is None or value.high is None or n < 2:
        return value
    if value.low == value.high and value.unit == "share" and value.span == (0.0, 1.0):
        found = wilson(value.value * value.n, value.n)
        return replace(value, low=found.low, high=found.high)
    wider = students_t(n - 1) / 1.96 * sqrt(n / (n - 1))
    low, high = (value.value - wider * (value.value - value.low), value.value + wider * (value.high - value.value))
    return replace(value, low=max(low, min(value.span[0], value.low)), high=min(high, max(value.span[1], value.high)))


def students_t(freedom: int) -> float:
    """The 97.5 % point of Student's t, by the first terms of its expansion (Fisher & Cornish 1960); within 1 % from 5
    on."""
    return 1.96 + 2.37 / freedom + 2.82 / freedom**2


@lru_cache(maxsize=1)
def _spreads() -> Mapping[str, tuple[float, int]]:
    found = json.loads(files("maieutic.gap").joinpath(_KEPT).read_text(encoding="utf-8"))
    return {name: (float(spread), int(count)) for name, (spread, count) in found["spread"].items()}


def scaled(family: str, value: Value) -> Scaled:
    """Distance beyond the limit, its standard error, and the relative error of the scale, in reference deviations."""
    least = SMALLEST * (value.span[1] - value.span[0])
    spread, count = _spreads().get(f"{family}.{value.id}", (least, 2))
    scale = max(spread, least)
    return (value.beyond or 0.0) / scale, (value.error or 0.0) / scale, 1 / sqrt(2 * max(count - 1, 1))


def chances_of_first(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) the chance of each of n distances to be the largest; `rows` is (n, 3), one `Scaled` each."""
    draw = np.random.default_rng(0)
    drawn = rows[:, 0] + rows[:, 1] * draw.standard_normal((DRAWS, len(rows)))
    drawn *= np.exp(rows[:, 2] * draw.standard_normal((DRAWS, len(rows))))
    return np.bincount(drawn.argmax(axis=1), minlength=len(rows)) / DRAWS


def leading(found: Sequence[Profile]) -> Leading:
    """Chances of being first among the flagged families, by a parametric bootstrap of figures and of their scales."""
    chosen = [p for p in found if p.verdict == "flagged"]
    if not chosen:
        return Leading((), {})
    rows = np.array(
        [max(scaled(p.family, value) for value in p.decisive if value.standing == "beyond") for p in chosen]
    )
    wins = chances_of_first(rows)
    order = np.lexsort((-rows[:, 0], -wins))
    return Leading(
        tuple((chosen[at], float(wins[at])) for at in order),
        {p.family: float(row[0]) for p, row in zip(chosen, rows, strict=True)},
    )


@lru_cache(maxsize=1)
def _measured() -> Mapping[str, Any]:
    place = files("maieutic.gap").joinpath(_RETEST)
    found: Mapping[str, Any] = json.loads(place.read_text()) if place.is_file() else {"extent": "", "change": {}}
    return found


def change_of(family: str, value: str, extent: str) -> float | None:
    """The minimal detectable change that was measured for a value, on its own scale; None where there is none.

    Args:
        extent: Of the run; another extent than the measured one has another error, so it gets none.
    """
    measured = _measured()
    return measured["change"].get(f"{family}.{value}") if measured["extent"] == extent else None
