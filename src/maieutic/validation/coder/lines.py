"""One line of the evidence on the coder: figure, bound, what stands beside it, and whether the bound is reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from maieutic.stats import Interval

RULE = (
    "A bound is reached when the point estimate reaches it; this decides the exit code. Beside it stands whether the "
    "whole 95 % interval reaches it too, which is the stricter rule that the rest of this project uses."
)


@dataclass(frozen=True, slots=True)
class Line:
    """One figure.

    Attributes:
        check: The head or the check it belongs to.
        title: What was measured.
        value: The figure with its 95 % interval; None when it cannot be had.
        unit: Unit of the figure.
        asked: The bound in words; '' for a figure that only describes.
        reached: Whether the point estimate reaches the bound; None without a bound or without a figure.
        whole: Whether the whole interval reaches it; None without bound, figure or interval.
        beside: What it is held against, by name: majority, TF-IDF, human or published figures.
        note: Why it is missing, or what it does not say.
    """

    check: str
    title: str
    value: Interval | None
    unit: str
    asked: str = ""
    reached: bool | None = None
    whole: bool | None = None
    beside: dict[str, float | None] = field(default_factory=dict)
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """The line as plain data."""
        return asdict(self)


def at_least(value: Interval | None, bound: float) -> tuple[bool | None, bool | None]:
    """Whether the estimate, and the whole interval, lie at or above the bound."""
    if value is None or value.estimate is None:
        return None, None
    return value.estimate >= bound, None if value.low is None else value.low >= bound


def at_most(value: Interval | None, bound: float) -> tuple[bool | None, bool | None]:
    """Whether the estimate, and the whole interval, lie at or below the bound."""
    if value is None or value.estimate is None:
        return None, None
    return value.estimate <= bound, None if value.high is None else value.high <= bound


def broken(lines: Iterable[Line]) -> list[Line]:
    """The lines whose point estimate does not reach the bound."""
    return [line for line in lines if line.reached is False]


def unjudged(lines: Sequence[Line]) -> list[Line]:
    """The lines with a bound that could not be judged."""
    return [line for line in lines if line.asked and line.reached is None]
