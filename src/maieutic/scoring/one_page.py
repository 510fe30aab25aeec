"""The one page for a reader without time: what happens in the sessions, what differs, how sure that is, what was left
out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from maieutic.runs.shown import environment
from maieutic.scoring import charts
from maieutic.scoring.catalogue import MI_NOTE, SessionMeasure
from maieutic.scoring.doubt import Bounds, span
from maieutic.scoring.families import shown_families
from maieutic.scoring.groups import MIN_SESSIONS, SessionValues, verdict
from maieutic.scoring.summary import ScoreSummary
from maieutic.scoring.terminal import show_value

SHOWN = ("question_rate", "open_question_share", "reflection_rate", "therapist_input_rate", "therapist_talk_share")
"""Nothing that only motivational interviewing knows: whoever brings sessions of another kind would take it for a figure
of theirs."""
_MAX_DIFFERENCES = 5
_MAX_APART = 6
"""So many sessions without groups are shown one by one: a mean of two opposite ones describes neither."""
_MAX_REASONS = 2
_SHORT = 20
"""Turns of both speakers below which one turn more or less moves a percentage by ten points or so."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The mean of one group: how long the bar is (0 to 100), what stands beside it, and how far unsure codes could move
    it."""

    group: str
    width: int
    value: str
    colour: str
    reach: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Line:
    """One measure in words, with a bar for each group, and why some have no figure."""

    title: str
    meaning: str
    bars: tuple[Bar, ...]
    missing: str


def render_one_page(summary: ScoreSummary) -> str:
    """The page as HTML, for one sheet of paper: no script, no external request."""
    apart = summary.groups is None and len(summary.sessions) <= _MAX_APART
    by_id = {one.id: one for one in summary.measures}
    lines = [
        Line(
            by_id[measure].title,
            by_id[measure].meaning,
            tuple(_bar(by_id[measure], *one) for one in (_each if apart else _means)(summary, measure)),
            "; ".join(sorted(summary.reasons.get(measure, {}))[:_MAX_REASONS]),
        )
        for measure in (*SHOWN, *(one.id for one in summary.measures if one.asked and one.id not in SHOWN))
    ]
    sizes = [sum(one.group == group for one in summary.sessions) for group in summary.groups or ()]
    differences = _differences(summary)
    return (
        environment(Path(__file__).parent / "pages")
        .get_template("one_page.html.j2")
        .render(
            summary=summary,
            lines=lines,
            doubtful=any(bar.reach for line in lines for bar in line.bars),
            groups=summary.groups,
            sizes=sizes,
            pages=summary.pages[:_MAX_APART],
            differences=differences,
            as_read=[f"{one.name}: {note}." for one in summary.sources for note in one.told],
            mi_note=MI_NOTE if any("(MI)" in one for one in differences) else "",
            short=[one for one in summary.sessions if one.turns < _SHORT],
            words=sum(one.words for one in summary.sessions),
            few=min(sizes or [len(summary.sessions)]) < MIN_SESSIONS,
        )
    )


_Told = tuple[str, float | None, str, Bounds | None]


def _bar(measure: SessionMeasure, name: str, value: float | None, colour: str, doubt: Bounds | None) -> Bar:
    reach = span(value, measure, doubt)
    low, high = doubt if doubt and reach else (0.0, 0.0)
    width, low_at, high_at = (round(100 * share) for share in (value or 0.0, low, high))
    return Bar(name, width, show_value(value, measure), colour, reach, low_at, high_at)


def _means(summary: ScoreSummary, measure: str) -> list[_Told]:
    found = {one.group: one.mean.estimate for one in summary.values if one.measure == measure}
    named = dict(zip(summary.groups or ("all",), (charts.FIRST, charts.SECOND), strict=False))
    return [
        (
            group if summary.groups else "mean",
            found[group],
            colour,
            _mean_bounds([one for one in summary.sessions if not summary.groups or one.group == group], measure),
        )
        for group, colour in named.items()
    ]


def _mean_bounds(sessions: Sequence[SessionValues], measure: str) -> Bounds | None:
    found = [one.doubt[measure] for one in sessions if one.values[measure] is not None and measure in one.doubt]
    return (fmean(low for low, _ in found), fmean(high for _, high in found)) if found else None


def _each(summary: ScoreSummary, measure: str) -> list[_Told]:
    return [(one.session, one.values[measure], charts.FIRST, one.doubt.get(measure)) for one in summary.sessions]


def _differences(summary: ScoreSummary) -> list[str]:
    """What differs between the groups also among sessions of like length, the surest first, in words."""
    if summary.groups is None:
        return []
    compared = {one.measure: one for one in summary.comparisons}
    found = []
    for _, measures in shown_families(summary):
        for measure in measures:
            one = compared[measure.id]
            if measure.id != "sure_share" and verdict(one, is_length=measure.length)[1] == "holds":
                first, second = (show_value(value, measure) for value in one.medians)
                found.append(
                    (
                        one.q or 1.0,
                        f"{measure.title}: {first} in {one.groups[0]}, {second} in {one.groups[1]} (medians)",
                    )
                )
    return [told for _, told in sorted(found)[:_MAX_DIFFERENCES]]
