"""A finding: what was asked, what was measured with its interval, and whether the whole interval satisfies the bound;
and the page of findings with charts and tables that `validate` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from maieutic.runs.files import write_json, write_whole
from maieutic.runs.shown import Table, environment
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
        whole: Where the estimate alone decides, whether the whole interval keeps the bound, too.
        beside: What it is held against, by name: majority, TF-IDF, human or published figures.
    """

    check: str
    title: str
    value: Interval | None
    unit: str
    asked: str = ""
    holds: bool | None = None
    note: str = ""
    whole: bool | None = None
    beside: Mapping[str, float | None] = field(default_factory=dict, hash=False)

    def as_json(self) -> dict[str, Any]:
        """The finding as plain data, every field always."""
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


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound that is judged as it is shown: '≥ 0.6', '≤ 5', 'above 0'.

    Attributes:
        sign: Whether a figure must lie at or above the number, at or below it, or above it.
        number: In the figure's unit.
    """

    sign: Literal["≥", "≤", "above"]
    number: float

    def __str__(self) -> str:
        return f"{self.sign} {self.number:g}"

    def holds(self, value: Interval) -> bool | None:
        """Whether the whole interval keeps it; None without an interval."""
        return {"≥": at_least, "≤": at_most, "above": above}[self.sign](value, self.number)

    def holds_for_share(self, value: Interval) -> bool | None:
        """Whether the figure itself keeps it, whatever its interval; None without a figure."""
        return self.holds(Interval(value.estimate, value.estimate, value.estimate, value.n))


def bounded(check: str, title: str, value: Interval, unit: str, bound: Bound | None, note: str = "") -> Finding:
    """A finding with its bound, judged by the whole interval; one without a bound only describes."""
    if bound is None:
        return Finding(check, title, value, unit, note=note)
    return Finding(check, title, value, unit, str(bound), bound.holds(value), note)


def bounded_by_share(check: str, title: str, value: Interval, unit: str, bound: Bound | None) -> Finding:
    """A finding that is judged by the share itself: no interval over few sessions lies below 2 %, whatever was seen."""
    if bound is None:
        return Finding(check, title, value, unit)
    return Finding(check, title, value, unit, f"{bound} (the share)", bound.holds_for_share(value))


def by_estimate(
    check: str,
    title: str,
    value: Interval | None,
    unit: str,
    bound: Bound | None,
    *,
    beside: Mapping[str, float | None] | None = None,
    note: str = "",
) -> Finding:
    """A finding whose estimate decides; whether the whole interval keeps the bound stands beside it."""
    asked, holds, whole = "", None, None
    if bound is not None:
        asked = f"{bound.sign} {bound.number:.2f}"
        if value is not None and value.estimate is not None:
            holds, whole = bound.holds_for_share(value), bound.holds(value)
    return Finding(check, title, value, unit, asked, holds, note, whole, beside or {})


def broken(findings: Iterable[Finding]) -> list[Finding]:
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


def beside(finding: Finding) -> str:
    """What it is held against: 'majority 0.120; human 0.800'."""
    return "; ".join(f"{name} {value:.3f}" for name, value in finding.beside.items() if value is not None)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page.

    Attributes:
        heading: Its name. about: What is asked in it, or how its figures came.
        findings: Judged in it.
        charts: (caption, svg). tables: Shown below.
    """

    heading: str
    about: str = ""
    findings: tuple[Finding, ...] = ()
    charts: tuple[tuple[str, str], ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows.

    Attributes:
        title, question: Of the page. played: What was played, a sentence. caution: What it does not show.
        findings: With their bounds, by check in order.
        rule: When a bound holds, a sentence.
        quick: Less was played than the full run plays; the page says so first.
        charts: (caption, svg). tables: (heading, columns, rows of shown cells).
        sections: Parts of a long page, between charts and tables; one for each check where none are given.
        digits: Decimal places of a finding's figure.
        data: What findings.json holds beside the findings.
    """

    title: str
    question: str
    played: str
    caution: str
    findings: tuple[Finding, ...]
    rule: str = "A bound holds when the whole 95 % interval satisfies it; the case is the unit."
    quick: bool = False
    charts: tuple[tuple[str, str], ...] = ()
    tables: tuple[tuple[str, Sequence[str], Sequence[Sequence[str]]], ...] = ()
    sections: tuple[Section, ...] = ()
    digits: Callable[[Finding], int] = lambda _: 2
    data: Mapping[str, Any] = field(default_factory=dict)

    def shown(self, finding: Finding) -> str:
        """Its figure with its interval."""
        return show(finding.value, self.digits(finding))


def render(page: Page) -> str:
    """The page: no script, no external request."""
    by_check = dict.fromkeys(one.check for one in page.findings)
    sections = page.sections or tuple(
        Section(check, findings=tuple(one for one in page.findings if one.check == check)) for check in by_check
    )
    return (
        environment()
        .get_template("findings.html.j2")
        .render(
            page=page,
            kept=sum(f.holds is True for f in page.findings),
            whole=sum(f.holds is True and f.whole is True for f in page.findings),
            unjudged=sum(bool(f.asked) and f.holds is None for f in page.findings),
            wrong=broken(page.findings),
            sections=sections,
            mark=mark,
            beside=beside,
        )
    )


def write(page: Page, folder: Path) -> None:
    """`report.html` and `findings.json`, each written whole. Raises `StorageError`."""
    found = {"title": page.title, "played": page.played, "findings": [f.as_json() for f in page.findings]}
    write_json(folder / "findings.json", found | dict(page.data))
    write_whole(folder / "report.html", render(page).encode())
