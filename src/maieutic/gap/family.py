"""What a family of the battery is: units of work, each done at a desk, and a profile made of what was seen.

A unit asks the therapist through the desk only. It is a pure function of the therapist's replies, so a run that was
killed goes on by giving the same replies again from its tape.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal, Protocol

from maieutic.gap.recording_client import RecordingClient, SessionSpec
from maieutic.stats import Interval

MIN_ITEMS = 6
"""Items below which no figure decides: six that all agree are the fewest that chance gives in under 5 of 100 (2 ·
0.5⁶)."""
MAX_NEEDED = 10_000
"""Items beyond which no number is named: the figure lies on its limit."""
Standing = Literal["beyond", "near", "within", "not told"]
"""How a figure stands to its limit: its whole interval beyond, across, within, or nothing that decides."""
Verdict = Literal["flagged", "near the limit", "clean", "not told"]


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """How much of every family is done.

    Attributes:
        name: 'quick' for tests, 'standard' within 4,000 replies for all families and 120 more
            where an interval is too wide, 'full' for everything.
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


QUICK = SamplePlan("quick", 0.1, 2, 8, 2)
STANDARD = SamplePlan("standard", 1.0, 12, 20, 4)
FULL = SamplePlan("full", 1.0, 40, 20, 10)


@dataclass(frozen=True, slots=True)
class Unit:
    """One item put to the therapist.

    Attributes:
        key: Unique within the family.
        calls: Replies and answers it takes at most, whole sessions not counted.
        work: Does it; what it returns is plain data. It may raise `ModelError`, `Unusable` or `NotApplicable`.
        specs: Whole sessions that it reads; families share them, so each is played and counted once.
        when: Of a unit that is done only where the rest of its family leaves too wide an interval: whether it does. It
            must not ask on which side of a limit the figure lies, or chance gets a second try.
    """

    key: str
    calls: int
    work: Callable[[RecordingClient], Awaitable[Mapping[str, Any]]]
    specs: tuple[SessionSpec, ...] = ()
    when: Callable[[Sequence[Observation]], bool] | None = None


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
        value: None when it is missing, with `reason`; where there is a value, `reason` says why it has no interval.
        low, high: 95 % interval; clusters are items, stimuli or cases, never single replies.
        n: Units behind it. missing: Units that gave nothing usable.
        span: Smallest and largest possible value, for drawing and for comparing families.
        worse: The bad direction.
        limit: From where on the value is a failure, stated before any run; None for a value that only describes.
        references: Published figures on the same scale.
        smaller: Of a difference of two arms, the items of the smaller one: the interval is as wide as so few ask.
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
    smaller: int | None = None

    def covering(self, other: Interval) -> Value:
        """The figure with an interval that covers `other` too: what it would be if all that is unsure were counted."""
        if self.low is None or self.high is None or other.low is None or other.high is None:
            return self
        return replace(self, low=min(self.low, other.low), high=max(self.high, other.high))

    @property
    def standing(self) -> Standing | None:
        """How the whole interval stands to the limit; None without a limit."""
        if self.limit is None:
            return None
        if self.value is None or self.low is None or self.high is None or self.n < MIN_ITEMS:
            return "not told"
        low, high = (self.low, self.high) if self.worse == "high" else (-self.high, -self.low)
        limit = self.limit if self.worse == "high" else -self.limit
        return "beyond" if low > limit else "within" if high <= limit else "near"

    @property
    def beyond(self) -> float | None:
        """The way from the limit in the bad direction, on the value's own scale; None without value or limit."""
        if self.value is None or self.limit is None:
            return None
        return self.value - self.limit if self.worse == "high" else self.limit - self.value

    @property
    def error(self) -> float | None:
        """The standard error that its interval stands for: a 95 % interval is 3.92 of them wide."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 3.92

    @property
    def needed(self) -> int | None:
        """Items that would decide with a power of 0.8 if the figure stayed; None where it decides, or none would.

        A distance d from the limit is seen by a 95 % interval in 8 of 10 draws when d ≥ (1.96 + 0.84) standard errors
        (Cohen 1988); errors fall with the root of the items.
        """
        if self.standing == "not told":
            return MIN_ITEMS
        if self.standing != "near" or not self.beyond or self.error is None:
            return None
        found = max(self.n + 1, ceil(self.n * (2.8 * self.error / self.beyond) ** 2))
        return found if found <= MAX_NEEDED else None

    @property
    def severity(self) -> float | None:
        """How far beyond the limit, as a share of the way from the limit to the worst possible; negative when
        within."""
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


Table = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]
"""A heading, the names of the columns, the rows."""


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
    tables: tuple[Table, ...] = ()

    @property
    def headline(self) -> Value:
        return self.values[0]

    @property
    def decisive(self) -> tuple[Value, ...]:
        """The figures whose limits flag the family."""
        names = (self.headline.id,) if self.deciding is None else self.deciding
        return tuple(value for value in self.values if value.id in names and value.limit is not None)

    @property
    def flagging(self) -> Value | None:
        """Of the figures that may flag the family the one furthest beyond its limit, or nearest to it; None without
        any.

        One whose whole interval lies beyond goes before one that does not.
        """
        found = [value for value in self.decisive if value.severity is not None]
        return max(found, key=lambda value: (value.standing == "beyond", value.severity or 0.0), default=None)

    @property
    def severity(self) -> float | None:
        """How far the figure that flags the family lies beyond its limit, as a share of the way to the worst; None
        without."""
        return None if self.flagging is None else self.flagging.severity

    @property
    def verdict(self) -> Verdict:
        """*flagged* where a whole interval lies beyond its limit, *near the limit* where one covers it, else as the
        headline."""
        standings = [value.standing for value in self.decisive]
        if "beyond" in standings:
            return "flagged"
        if "near" in standings:
            return "near the limit"
        return "clean" if self.headline.standing == "within" else "not told"

    @property
    def flagged(self) -> bool | None:
        """Whether the family's failure is seen; None when that cannot be told."""
        return None if self.verdict == "not told" else self.verdict == "flagged"


class Family(Protocol):
    """A family of the battery. `FAMILY` in its module is the one instance."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def question(self) -> str: ...

    def units(self, extent: SamplePlan, /) -> Sequence[Unit]:
        """Everything to be done, the same for every therapist; needs no therapist and calls nothing."""
        ...

    def profile(self, seen: Sequence[Observation], extent: SamplePlan, /) -> Profile:
        """The figures; pure. Missing observations are counted, never scored."""
        ...


@dataclass(frozen=True, slots=True)
class Packaged:
    """A family made of its names and of two functions: those of `Family`."""

    id: str
    title: str
    question: str
    units: Callable[[SamplePlan], Sequence[Unit]]
    profile: Callable[[Sequence[Observation], SamplePlan], Profile]
