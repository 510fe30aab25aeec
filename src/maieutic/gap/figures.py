"""What families measure, as tables of figures, and the one way from what was seen to a value with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, Literal, TypeVar

from maieutic.gap.family import Observation, Reference, Value, missing_of
from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic

Data = Mapping[str, Any]
"""Plain data: what a unit saw, or an item of the battery."""
Rows = Sequence[tuple[Hashable, float]]
"""(cluster, number): items, stimuli or cases that are drawn as a whole."""
Row = TypeVar("Row")
SIGNED: Final = (-1.0, 1.0)
"""Span of a difference of shares, and of a correlation."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a family: what of its `Value` is the same for every therapist.

    Attributes:
        id, title, unit, span, worse, limit, references: As of a `Value`.
    """

    id: str
    title: str
    unit: str = "share"
    span: tuple[float, float] = (0.0, 1.0)
    worse: Literal["high", "low"] = "low"
    limit: float | None = None
    references: tuple[Reference, ...] = ()

    def value(self, found: Interval, n: int, missing: int = 0, why: str | None = None, **more: Any) -> Value:
        """The figure of one therapist; `why` is told where there is no estimate, `more` are further attributes."""
        reason = why if found.estimate is None else None
        mine = (self.span, self.worse, self.limit, self.references)
        made = Value(self.id, self.title, self.unit, found.estimate, found.low, found.high, n, missing, reason, *mine)
        return replace(made, **more) if more else made

    def absent(self, why: str, n: int = 0, missing: int = 0, **more: Any) -> Value:
        """The figure where it cannot be had, beside the units that were there for it."""
        return self.value(NOTHING, n, missing, why, **more)

    def mean(self, rows: Rows, rng: Random, missing: int = 0, why: str | None = None, **more: Any) -> Value:
        """The mean of all rows, with the interval of a bootstrap over clusters."""
        return self.value(mean_of(rows, rng), len(rows), missing, why, **more)

    def statistic(
        self,
        rows: Sequence[Row],
        statistic: Callable[[Sequence[Row]], float | None],
        cluster: Callable[[Row], Hashable],
        rng: Random,
        missing: int = 0,
        why: str | None = None,
        *,
        draws: int = 1000,
        **more: Any,
    ) -> Value:
        """A statistic of all rows, with the interval of a bootstrap over clusters."""
        found = bootstrap_statistic(rows, statistic, clusters=[cluster(row) for row in rows], rng=rng, draws=draws)
        return self.value(found, len(rows), missing, why, **more)


NOTHING: Final = Interval(None, None, None, 0)


def mean_of(rows: Rows, rng: Random) -> Interval:
    """The mean of rows, with the interval of a bootstrap over clusters."""
    return bootstrap_mean([number for _, number in rows], clusters=[cluster for cluster, _ in rows], rng=rng)


def of_kind(seen: Iterable[Observation], *kinds: str) -> list[Observation]:
    """The units of some kinds: what stands before the first ':' or '/' of a key."""
    return [one for one in seen if one.key.partition(":")[0].partition("/")[0] in kinds]


def item_of(unit: Observation) -> str:
    """What stands behind the kind in a unit's key."""
    kind = unit.key.partition(":")[0].partition("/")[0]
    return unit.key[len(kind) + 1 :]


def data_of(units: Iterable[Observation]) -> list[Data]:
    """What was seen, of the units that saw anything."""
    return [one.data for one in units if one.data is not None]


def lost_of(units: Iterable[Observation]) -> int:
    """How many units were asked and gave nothing usable."""
    return len(missing_of(units))


def rows_of(units: Iterable[Observation], read: Callable[[Data], float | None], cluster: str) -> Rows:
    """(cluster, number) of every unit that has the number; the cluster stands in its data."""
    return [(data[cluster], float(number)) for data in data_of(units) if (number := read(data)) is not None]


def first_reason(units: Iterable[Observation], otherwise: str) -> str:
    """Why the first of the missing units is."""
    return next((one.missing for one in units if one.missing), otherwise)


def commonest_reason(units: Iterable[Observation], otherwise: str) -> str:
    """Why most of the missing units are."""
    reasons = Counter(one.missing for one in units if one.missing)
    return reasons.most_common(1)[0][0] if reasons else otherwise
