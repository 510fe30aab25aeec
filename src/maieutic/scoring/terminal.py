"""Shows the result of `score` in the terminal: one table, and below it what has to be known to read it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from maieutic.runs.shown import Table
from maieutic.scoring.catalogue import MI_NOTE, SessionMeasure
from maieutic.scoring.families import LESS, shown_families
from maieutic.scoring.groups import verdict
from maieutic.scoring.summary import ScoreSummary
from maieutic.scoring.validity import NOT_VALIDATED
from maieutic.stats import MIN_CASES

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table as OnScreen

DEMONSTRATION = "Numbers describe how sessions differ; they do not rate a therapist's competence."
LEGEND = (
    "AUC: the chance that a {first} session has the higher value; 0.5 is no difference. Differs: yes, also among "
    "sessions of like length; unsure, where like length or few sessions leave it open; no."
)
_DIFFERS = {"holds": "yes", "open": "unsure", "none": "no"}

MAX_NAMED = 3
"""Sessions that a reason is shown with; the report names more."""


def format_table(summary: ScoreSummary) -> RenderableType:
    """The summary as something that a rich console prints."""
    from rich.console import Group
    from rich.text import Text

    return Group(_compared(summary) if summary.groups else _described(summary), *map(Text, closing_lines(summary)))


def closing_lines(summary: ScoreSummary) -> list[str]:
    """What stands below the table: counts, what was left out and why, notes, and where the report is."""
    sessions, files = len(summary.sessions), len(summary.sources)
    lines = [
        f"{sessions:,} session{'s' * (sessions != 1)} scored from {files:,} file{'s' * (files != 1)}; {summary.codes}."
    ]
    if summary.not_scored:
        lines.append(f"Not scored ({len(summary.not_scored)}):")
        lines += [_named(reason, summary) for reason in dict.fromkeys(one.reason for one in summary.not_scored)]
    if summary.unread:
        lines.append(f"Not read ({len(summary.unread)}):")
        lines += [f"  {one.reason}" for one in summary.unread]
    if any(_title(one) != one.title for _, own in shown_families(summary) for one in own):
        lines.append("*: not compared with human coders here, or that comparison failed; the report says which.")
    if summary.groups:
        lines.append(LEGEND.format(first=summary.groups[0]))
    lines += [*_without_value(summary), *summary.notes, MI_NOTE if summary.every else LESS, DEMONSTRATION]
    places = ("One page: summary.html", "Report: report.html", "Scores: scores.csv")
    lines += [f"{place.partition(': ')[0]}: {summary.out / place.partition(': ')[2]}" for place in places]
    return lines


def _title(measure: SessionMeasure) -> str:
    return measure.title + " *" * (NOT_VALIDATED in measure.validated)


def _named(reason: str, summary: ScoreSummary) -> str:
    """A reason with the first sessions that it holds for."""
    held = [f"{one.source}: {one.session}" for one in summary.not_scored if one.reason == reason]
    more = f" and {len(held) - MAX_NAMED:,} more" if len(held) > MAX_NAMED else ""
    return f"  {len(held)} × {reason}: {', '.join(held[:MAX_NAMED])}{more}"


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


def _compared(summary: ScoreSummary) -> OnScreen:
    first, second = summary.groups or ("", "")
    compared = {one.measure: one for one in summary.comparisons}

    def cells(measure: SessionMeasure) -> Sequence[str] | None:
        one = compared[measure.id]
        if one.raw.estimate is None:
            return None
        values = (show_value(value, measure) for value in one.medians)
        return (*values, one.raw.shown(), _DIFFERS[verdict(one, is_length=measure.length)[1]])

    heads = ("measure", first, second, "AUC [95 %]", "differs")
    return _by_family(summary, f"{first} against {second}, medians", heads, cells, whole=(3,))


def _described(summary: ScoreSummary) -> OnScreen:
    one_alone, few = len(summary.sessions) == 1, len(summary.sessions) < MIN_CASES
    title = "mean over sessions" + (
        f"; fewer than {MIN_CASES}, so no interval" if few else "; low and high: its 95 % interval"
    )
    many = ("mean", *(("smallest", "largest") if few else ("low", "high")), "n")
    by_measure = {one.measure: one for one in summary.values if one.group == "all"}

    def cells(measure: SessionMeasure) -> Sequence[str] | None:
        mean = by_measure[measure.id].mean
        if mean.estimate is None:
            return None
        found = [value for each in summary.sessions if (value := each.values[measure.id]) is not None]
        bounds = (min(found), max(found)) if few else (mean.low, mean.high)
        shown = [show_value(value, measure) for value in (mean.estimate, *bounds)]
        return shown[:1] if one_alone else (*shown, str(mean.n))

    heads = ("measure", *(("value",) if one_alone else many))
    return _by_family(summary, "one session" if one_alone else title, heads, cells)


def _by_family(
    summary: ScoreSummary,
    title: str,
    heads: Sequence[str],
    cells: Callable[[SessionMeasure], Sequence[str] | None],
    whole: Sequence[int] = (),
) -> OnScreen:
    """A row a measure that has figures, under the name of its family."""
    rows: list[Sequence[str]] = []
    tones = {}
    for family, measures in shown_families(summary):
        own = [(f"  {_title(one)}", *told) for one in measures if (told := cells(one)) is not None]
        if own:
            tones[len(rows)] = "bold"
            rows += [(family, *[""] * (len(heads) - 1)), *own]
    return Table(title, heads, rows).on_screen(right=range(1, len(heads)), whole=whole, close=True, tones=tones)


def _without_value(summary: ScoreSummary) -> list[str]:
    """Measures that have no figure in this table, with the report that says why."""
    compared = {one.measure for one in summary.comparisons if one.raw.estimate is not None}
    means = {one.measure for one in summary.values if one.group == "all" and one.mean.estimate is not None}
    has = compared if summary.groups else means
    lacking = []
    for family, own in shown_families(summary):
        without = [measure.title for measure in own if measure.id not in has]
        lacking += [f"all of {family!r}"] if len(without) == len(own) else [f"{title!r}" for title in without]
    return [f"Without a figure (the report says why): {', '.join(lacking)}."] if lacking else []
