"""A finding: what was asked, what was measured with its interval, and whether the whole interval satisfies the
bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from maieutic.stats import Interval


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the evidence.

    Attributes:
        check: Id of the check it belongs to.
        title: What was measured, in one plain sentence.
        value: The figure with its interval; None when it cannot be had.
        unit: Unit of the figure.
        asked: The bound in words; '' for a figure that only describes.
        holds: Whether the bound holds; None for a figure without one, or one that cannot be judged.
        note: Why it is missing, or what it does not say.
    """

    check: str
    title: str
    value: Interval | None
    unit: str
    asked: str = ""
    holds: bool | None = None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """The finding as plain data."""
        return asdict(self)


def at_most(value: Interval, bound: float) -> bool | None:
    """Whether the whole interval lies at or below the bound; None without an interval."""
    return None if value.high is None else value.high <= bound


def at_least(value: Interval, bound: float) -> bool | None:
    """Whether the whole interval lies at or above the bound; None without an interval."""
    return None if value.low is None else value.low >= bound


def above(value: Interval, bound: float) -> bool | None:
    """Whether the whole interval lies above the bound, which it must not touch; None without an interval."""
    return None if value.low is None else value.low > bound


def within(value: Interval, low: float, high: float) -> bool | None:
    """Whether the whole interval lies between the bounds; None without an interval."""
    return None if value.low is None or value.high is None else low <= value.low and value.high <= high


def bounded(check: str, title: str, value: Interval, unit: str, asked: str, note: str = "") -> Finding:
    """A finding whose bound is judged as it is written: '≥ 0.60', '≤ 5', '< 0.02' (held as ≤) or 'above 0'."""
    return Finding(check, title, value, unit, asked, judged_as(asked, value), note)


def judged_as(asked: str, value: Interval) -> bool | None:
    """What the whole interval says to a bound in words."""
    sign, _, bound = asked.partition(" ")
    judge = {"≥": at_least, "≤": at_most, "<": at_most, "above": above}[sign]
    return judge(value, float(bound))


def broken(findings: Sequence[Finding]) -> list[Finding]:
    """The findings whose bound does not hold."""
    return [f for f in findings if f.holds is False]


def mark(holds: bool | None) -> str:
    """A word for a verdict."""
    return {True: "holds", False: "broken", None: "not judged"}[holds]


def show(value: Interval | None, digits: int = 2) -> str:
    """'1.23 [0.95, 1.51]'; what is missing is left out or said."""
    if value is None or (value.estimate is None and value.low is None):
        return "missing"
    bounds = "" if value.low is None or value.high is None else f"[{value.low:.{digits}f}, {value.high:.{digits}f}]"
    return bounds if value.estimate is None else f"{value.estimate:.{digits}f} {bounds}".strip()
