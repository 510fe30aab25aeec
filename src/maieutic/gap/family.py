"""What a family of the battery is: units of work, each done at a desk, and a profile made of what was seen.

A unit asks the therapist through the desk only. It is a pure function of the therapist's replies, so a run that was
killed goes on by giving the same replies again from its tape.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from maieutic.gap.desk import Desk, Sitting


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of every family is done.

    Attributes:
        name: 'quick' for tests, 'standard' within 4,000 replies for all families, 'full' for everything.
        items: Share of a family's own items, in (0, 1]; families take them spread over their kinds, in a fixed order.
        cases: Cases of whole sessions.
        turns: Therapist turns of a whole session.
        samples: Draws of one item where a spread is wanted.
        seed: Of the whole battery; two seeds give the test and the retest.
        split: Cases of which split.
    """

    name: Literal["quick", "standard", "full"]
    items: float
    cases: int
    turns: int
    samples: int
    seed: int = 0
    split: Literal["dev", "test"] = "dev"


QUICK = Extent("quick", 0.1, 2, 8, 2)
STANDARD = Extent("standard", 1.0, 12, 20, 4)
FULL = Extent("full", 1.0, 40, 20, 10)


@dataclass(frozen=True, slots=True)
class Unit:
    """One item put to the therapist.

    Attributes:
        key: Unique within the family.
        calls: Replies and answers it takes at most, whole sessions not counted.
        work: Does it; what it returns is plain data. It may raise `ModelError`, `Unusable` or `NotApplicable`.
        sittings: Whole sessions that it reads; families share them, so each is played and counted once.
    """

    key: str
    calls: int
    work: Callable[[Desk], Awaitable[Mapping[str, Any]]]
    sittings: tuple[Sitting, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """What came of a unit.

    Attributes:
        key: The unit's.
        data: What was seen; None when nothing usable was.
        missing: Why there is no data.
        applicable: False when the therapist lacks the door that the unit needs; then it is no failure.
    """

    key: str
    data: Mapping[str, Any] | None
    missing: str | None = None
    applicable: bool = True


def missing_of(units: Iterable[Observation]) -> list[Observation]:
    """Units that were asked and gave nothing usable; one that needs a door which the therapist lacks is not lost."""
    return [one for one in units if one.data is None and one.applicable]


@dataclass(frozen=True, slots=True)
class Reference:
    """A published figure that a value stands beside.

    Attributes:
        value: On the value's own scale.
        source: Author and year.
        differs: What is not the same there.
    """

    value: float
    source: str
    differs: str


@dataclass(frozen=True, slots=True)
class Value:
    """One figure of a profile.

    Attributes:
        id, title, unit: What it is.
        value: None when it is missing, with `reason`.
        low, high: 95 % interval; clusters are items, stimuli or cases, never single replies.
        n: Units behind it. missing: Units that gave nothing usable.
        span: Smallest and largest possible value, for drawing and for comparing families.
        worse: The bad direction.
        limit: From where on the value is a failure, stated before any run; None for a value that only describes.
        references: Published figures on the same scale.
    """

    id: str
    title: str
    unit: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    missing: int = 0
    reason: str | None = None
    span: tuple[float, float] = (0.0, 1.0)
    worse: Literal["high", "low"] = "low"
    limit: float | None = None
    references: tuple[Reference, ...] = ()

    @property
    def severity(self) -> float | None:
        """How far beyond the limit, as a share of the way from the limit to the worst possible; negative when within."""
        if self.value is None or self.limit is None:
            return None
        worst = self.span[1] if self.worse == "high" else self.span[0]
        return (self.value - self.limit) / (worst - self.limit) if worst != self.limit else None


@dataclass(frozen=True, slots=True)
class Quote:
    """A turn that shows the failure: what was said before it, the turn, and what is wrong with it."""

    before: str
    said: str
    why: str


@dataclass(frozen=True, slots=True)
class Profile:
    """What one family found about one therapist.

    Attributes:
        family: Its id.
        values: The first is the headline, whose limit flags the family.
        worst: At most three turns that show it best.
        sentence: The failure named in one sentence; used when this family is the principal one.
        untested: What these texts cannot test.
        deciding: Ids of the values whose limits flag the family, where it is not the headline alone.
    """

    family: str
    values: tuple[Value, ...]
    worst: tuple[Quote, ...] = ()
    sentence: str = ""
    untested: tuple[str, ...] = ()
    deciding: tuple[str, ...] | None = None
    tables: tuple[tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]], ...] = field(default=())

    @property
    def headline(self) -> Value:
        return self.values[0]

    @property
    def flagging(self) -> Value | None:
        """Of the figures that may flag the family the one furthest beyond its limit, or nearest to it; None without any."""
        names = (self.headline.id,) if self.deciding is None else self.deciding
        found = [value for value in self.values if value.id in names and value.severity is not None]
        return max(found, key=lambda value: value.severity or 0.0, default=None)

    @property
    def severity(self) -> float | None:
        """How far the figure that flags the family lies beyond its limit, as a share of the way to the worst.

        With none that decides, the headline's, at most 0; None without a figure.
        """
        if self.deciding == ():
            return None if self.headline.severity is None else min(0.0, self.headline.severity)
        return None if self.flagging is None else self.flagging.severity

    @property
    def flagged(self) -> bool | None:
        """Whether the family's failure is seen; None when it is not and the headline is missing."""
        seen = self.severity is not None and self.severity > 0
        return None if self.headline.value is None and not seen else seen


class Family(Protocol):
    """A family of the battery. `FAMILY` in its module is the one instance."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def question(self) -> str: ...

    def units(self, extent: Extent) -> Sequence[Unit]:
        """Everything to be done, the same for every therapist; needs no therapist and calls nothing."""
        ...

    def profile(self, seen: Sequence[Observation], extent: Extent) -> Profile:
        """The figures; pure. Missing observations are counted, never scored."""
        ...


__all__ = [
    "FULL", "QUICK", "STANDARD", "Extent", "Family", "Observation", "Profile", "Quote", "Reference", "Unit", "Value",
    "missing_of",
]  # fmt: skip
