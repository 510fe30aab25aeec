"""Shows the result of `score` in the terminal: one table, and below it what has to be known to read it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from maieutic.scoring.catalogue import MEASURES, SessionMeasure
from maieutic.scoring.summary import ScoreSummary
from maieutic.stats import Interval

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

DEMONSTRATION = (
    "Numbers describe how sessions differ; they are no rating of a therapist's competence. Intervals are 95 %, by bootstrap "
    "over sessions."
)


def format_table(summary: ScoreSummary) -> RenderableType:
    """The summary as something that a rich console prints."""
    from rich.console import Group
    from rich.text import Text

    return Group(_compared(summary) if summary.groups else _described(summary), *map(Text, closing_lines(summary)))


def closing_lines(summary: ScoreSummary) -> list[str]:
    """What stands below the table: counts, what was left out and why, notes, and where the report is."""
    lines = [f"{len(summary.sessions)} sessions scored from {len(summary.sources)} file(s); {summary.codes}."]
    if summary.not_scored:
        counts = Counter(one.reason for one in summary.not_scored)
        lines.append(f"{len(summary.not_scored)} sessions not scored:")
        lines += [f"  {count} × {reason}" for reason, count in counts.most_common()]
    if summary.unread:
        lines.append(f"{len(summary.unread)} files not read:")
        lines += [f"  {one.reason}" for one in summary.unread]
    lines += [*summary.notes, DEMONSTRATION, f"Report: {summary.out / 'report.html'}"]
    return lines


def show_interval(interval: Interval, digits: int = 2) -> str:
    """'0.84 [0.71, 0.93]', or a dash for what is missing."""
    if interval.estimate is None:
        return "–"
    if interval.low is None or interval.high is None:
        return f"{interval.estimate:.{digits}f}"
    return f"{interval.estimate:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def show_q(q: float | None) -> str:
    """A q-value with three digits; '< 0.001' below that."""
    if q is None:
        return "–"
    return "< 0.001" if q < 0.0005 else f"{q:.3f}"


def show_value(value: float | None, measure: SessionMeasure) -> str:
    """A value in the measure's way of writing; a dash for a missing one."""
    if value is None:
        return "–"
    if measure.percent:
        return f"{100 * value:.0f} %"
    if abs(value) < 2:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _shown() -> list[SessionMeasure]:
    return [one for one in MEASURES if not one.detail]


def _compared(summary: ScoreSummary) -> Table:
    from rich.table import Table

    first, second = summary.groups or ("", "")
    table = Table(title=f"{first} against {second}: AUC is the chance that a {first} session has the higher value")
    table.add_column("measure")
    for heading in (f"median {first}", f"median {second}", "n", "AUC", "AUC, log words out", "AUC, like length", "q"):
        table.add_column(heading, justify="right")
    for measure, one in zip(_shown(), summary.comparisons, strict=True):
        missing = f" (−{sum(one.missing)})" if sum(one.missing) else ""
        table.add_row(
            measure.title,
            show_value(one.medians[0], measure),
            show_value(one.medians[1], measure),
            f"{one.n[0]} + {one.n[1]}{missing}",
            show_interval(one.raw),
            show_interval(one.residual),
            show_interval(one.matched),
            show_q(one.q),
        )
    return table


def _described(summary: ScoreSummary) -> Table:
    from rich.table import Table

    table = Table(title="mean over sessions")
    table.add_column("measure")
    for heading in ("mean", "low", "high", "n", "missing"):
        table.add_column(heading, justify="right")
    by_measure = {one.measure: one for one in summary.values if one.group == "all"}
    for measure in _shown():
        one = by_measure[measure.id]
        bounds = (one.mean.estimate, one.mean.low, one.mean.high)
        table.add_row(measure.title, *(show_value(b, measure) for b in bounds), str(one.mean.n), str(one.missing))
    return table
