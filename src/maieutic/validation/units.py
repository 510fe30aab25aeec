"""Figures over played sessions with the case as their unit: means, paired differences between arms, and shares of an
effect."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from random import Random
from typing import Protocol, TypeVar

from maieutic.evaluation.lines import case_of
from maieutic.stats import Interval, bootstrap_mean, bootstrap_statistic, paired_difference


class OfCase(Protocol):
    """Anything that was seen with one patient."""

    @property
    def case(self) -> str: ...


class Fallen(OfCase, Protocol):
    """A session of an arm in numbers; `unit` is what arms are paired by, `fall` points of held conviction lost."""

    @property
    def arm(self) -> str: ...
    @property
    def unit(self) -> tuple[str, int]: ...
    @property
    def fall(self) -> float: ...


Seen = TypeVar("Seen", bound=OfCase)


def over_cases(rows: Sequence[Seen], value: Callable[[Seen], float]) -> Interval:
    """Mean of a value over sessions, those of a case drawn together."""
    return bootstrap_mean([value(row) for row in rows], clusters=[row.case for row in rows], rng=Random(7))


def falls(rows: Iterable[Fallen], arm: str) -> Mapping[Hashable, float]:
    """Fall of held conviction of one arm, by case and seed."""
    return {row.unit: row.fall for row in rows if row.arm == arm}


def effect(rows: Sequence[Fallen], arm: str, base: str = "no_session") -> Interval:
    """Mean fall of one arm beyond another's, paired by case and seed."""
    return paired_difference(falls(rows, arm), falls(rows, base), clusters=case_of)


def share_of(rows: Sequence[Fallen], arm: str, other: str = "oracle") -> Interval:
    """One arm's effect beyond no session as a share of another's; None where that has none."""
    base, ours, theirs = falls(rows, "no_session"), falls(rows, arm), falls(rows, other)
    units = [unit for unit in ours if unit in theirs and unit in base]
    pairs = [(ours[unit] - base[unit], theirs[unit] - base[unit]) for unit in units]

    def share(items: Sequence[tuple[float, float]]) -> float | None:
        below = sum(whole for _, whole in items)
        return sum(part for part, _ in items) / below if below > 0 else None

    return bootstrap_statistic(pairs, share, clusters=[case_of(unit) for unit in units], rng=Random(7), draws=1000)
