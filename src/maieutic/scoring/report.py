"""The pages of `score`, each self-contained: the report (what was compared, how sure it is, and what it does not say),
and the one page for a reader without time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from maieutic.measures.definition import Measure
from maieutic.measures.validity import NOT_VALIDATED
from maieutic.runs import figures
from maieutic.runs.shown import environment
from maieutic.scoring.doubt import Bounds, show_doubtful, span
from maieutic.scoring.groups import MIN_SESSIONS, Comparison, SessionValues
from maieutic.scoring.summary import LESS, MI_NOTE, Row, ScoreSummary, details_of, shown_of

MAX_LINKS = 200
MAX_COLUMNS = 30
"""Sessions that stand beside each other in the table of single sessions; more are a table for a spreadsheet."""
_MAX_REASONS = 2
_COMPARED = ["AUC [95 %]", "AUC at like length", "q"]
DEMONSTRATIONS = {
    "annomi": "AnnoMI: transcripts of demonstration sessions of motivational interviewing from public videos, many of "
    "them role-played; 'low' is mostly scripted bad practice, and there are few of it.",
    "hlqc": "HLQC: transcripts of public demonstration counselling sessions labelled high or low quality by "
    "where they come from.",
}
_PAGES = Path(__file__).parent / "pages"


def render_score_report(summary: ScoreSummary) -> str:
    """The whole page as HTML: no external request, no script."""
    kinds = {source.kind for source in summary.sources}
    groups = summary.shown_groups
    return (
        environment(_PAGES)
        .get_template("report.html.j2")
        .render(
            summary=summary,
            first=summary.groups[0] if summary.groups else "",
            second=summary.groups[1] if summary.groups else "",
            counts=_counts(summary),
            families=summary.families(),
            glance=[*(f"mean {group}" for group in groups), *(_COMPARED if summary.groups else [])],
            figures=lambda row: _figures(row, groups),
            numbers=lambda row: _numbers(row, groups),
            missing=lambda row: _missing(summary, row),
            values_chart=lambda row: _values_chart(summary, row),
            auc_chart=lambda row: auc_strip(row.compared, row.measure.title) if _is_compared(row) else "",
            details=summary.rows(shown_of(details_of(summary.measures), every=summary.options.every)),
            not_validated=NOT_VALIDATED,
            mi_note=MI_NOTE if summary.options.every else LESS,
            by_session=_by_session(summary),
            most_columns=MAX_COLUMNS,
            pages=[one for one in summary.pages if len(summary.pages) <= MAX_LINKS],
            headlines=_headlines(summary),
            demonstrations=[text for kind, text in DEMONSTRATIONS.items() if kind in kinds],
            reasons=Counter(one.reason for one in summary.not_scored).most_common(),
            named=summary.not_scored[:30],
            first_colour=FIRST,
            second_colour=SECOND,
        )
    )


def _is_compared(row: Row) -> bool:
    return row.compared is not None and row.compared.raw.estimate is not None


def _headlines(summary: ScoreSummary) -> list[tuple[str, str]]:
    """What holds, what does not, and what length alone does: each with the measures' titles and figures."""
    if summary.groups is None:
        return []
    found: dict[str, list[str]] = {"holds": [], "open": [], "none": [], "length": []}
    # In the order of the catalogue, whatever family comes last on the page.
    shown = {row.measure.id: row for _, own in summary.families() for row in own if _is_compared(row)}
    for row in (shown[one.measure] for one in summary.comparisons if one.measure in shown):
        if row.measure.id != "sure_share" and row.compared is not None:
            tone = "length" if row.measure.length else row.verdict[1]
            found[tone].append(f"{row.measure.title} ({row.compared.raw.shown()})")
    lines = (
        ("Tell the groups apart, also at like length", found["holds"]),
        ("Tell them apart as they stand; not certain at like length, or too few sessions", found["open"]),
        ("Do not tell them apart here", found["none"]),
        ("Length alone, which says nothing about conduct", found["length"]),
    )
    return [(heading, "; ".join(titles)) for heading, titles in lines if titles]


def _by_session(summary: ScoreSummary) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """By family: each measure with its value in every session; empty with too many sessions."""
    if len(summary.sessions) > MAX_COLUMNS:
        return []
    found = []
    for name, own in summary.families():
        measures = [row.measure for row in own]
        have = [one for one in measures if any(each.values[one.id] is not None for each in summary.sessions)]
        rows = [
            (one.title, [show_doubtful(each.values[one.id], one, each.doubt.get(one.id)) for each in summary.sessions])
            for one in have
        ]
        found += [(name, rows)] if rows else []
    return found


def _figures(row: Row, groups: Sequence[str]) -> list[str]:
    """The figures of a measure at a glance."""
    one = row.compared
    auc = [] if one is None else [one.raw.shown(), one.matched.shown(), show_q(one.q)]
    return [*map(row.mean, groups), *auc]


def _numbers(row: Row, groups: Sequence[str]) -> list[tuple[str, str]]:
    """All figures of a measure, each with its name."""
    found = []
    for group in groups:
        mean, show = row.means[group].mean, row.measure.show
        found.append((f"mean {group}", f"{show(mean.estimate)} ({show(mean.low)} to {show(mean.high)}), n = {mean.n}"))
    one = row.compared
    if one is None:
        return found
    return [
        *found,
        ("AUC as it is", one.raw.shown()),
        ("AUC, log words taken out", one.residual.shown()),
        ("AUC, pairs of like length", one.matched.shown() + (f", {one.pairs} pairs" if one.pairs else "")),
        ("q (Benjamini-Hochberg over all measures compared)", show_q(one.q)),
    ]


def show_q(q: float | None) -> str:
    """A q-value with three digits; '< 0.001' below that."""
    if q is None:
        return "–"
    return "< 0.001" if q < 0.0005 else f"{q:.3f}"


def _missing(summary: ScoreSummary, row: Row) -> str:
    """'2 of all: 4 coded therapist turns; …': how many sessions have no value, and the commonest reasons."""
    gaps = {group: row.means[group].missing for group in summary.shown_groups}
    counted = ", ".join(f"{count} of {group}" for group, count in gaps.items() if count)
    reasons = [reason for reason, _ in Counter(summary.reasons.get(row.measure.id, {})).most_common(_MAX_REASONS)]
    return counted + (f" ({' / '.join(reasons)})" if counted and reasons else "")


def _values_chart(summary: ScoreSummary, row: Row) -> str:
    order, measure = summary.shown_groups, row.measure
    values = [
        (one.group if summary.groups else "all", value)
        for one in summary.sessions
        if (value := one.values[measure.id]) is not None
    ]
    kept = [(group, value) for group, value in values if group in order]
    if not kept:
        return ""
    return value_strip(kept, order, percent=measure.percent, log=measure.length, title=measure.title)


def _counts(summary: ScoreSummary) -> list[tuple[str, int]]:
    counts = Counter(one.group or "no group" for one in summary.sessions)
    return sorted(counts.items(), key=lambda pair: (pair[0] not in (summary.groups or ()), pair[0]))


WIDTH = 280
LABELS = 84
"""Every strip has the same room for labels on its left, so that the scales stand below each other."""
FIRST, SECOND = figures.BLUE, figures.ORANGE
_MAX_DOTS = 400
_NAMES = {"title": None, "labelPadding": figures.LABEL_PADDING, "labelLimit": 80, **figures.BARE}


def auc_strip(comparison: Comparison, title: str = "AUC") -> str:
    """Three dots with intervals on 0 to 1: as it is, length taken out, pairs of like length."""
    ways = (("as it is", comparison.raw), ("log words out", comparison.residual), ("like length", comparison.matched))
    bars = [
        figures.Bar(way, one, one.shown(), colour=FIRST if one.estimate is not None and one.estimate >= 0.5 else SECOND)
        for way, one in ways
    ]
    ticks = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".2~f"}
    size = (WIDTH - LABELS, 20)
    return figures.forest(bars, title=title, beside=0.5, span=(0, 1), ticks=ticks, size=size, labels=LABELS - 8)


def value_strip(
    values: Sequence[tuple[str, float]],
    order: Sequence[str],
    *,
    percent: bool,
    log: bool = False,
    title: str = "Sessions",
) -> str:
    """One tick a session, one row a group, and a dark mark at the median."""
    scale: figures.Spec = {"type": "log", "nice": True} if log else {"zero": True, "nice": True}
    if percent:
        scale = {"domain": [0, 1]}
    axis = {"title": None, "format": ".0%" if percent else ",~f", "tickCount": 4}
    axis |= {"labelOverlap": True, "labelFlush": False}
    colours = [FIRST, SECOND, *[figures.GREY] * max(len(order) - 2, 0)][: len(order)]
    x = {"field": "value", "type": "quantitative", "scale": scale, "axis": axis}
    y = figures.named("group", sort=list(order), axis=_NAMES)
    colour = figures.named("group", legend=None, scale={"domain": list(order), "range": colours})
    rows = [{"group": group, "value": value} for group, value in _thinned(values, order)]
    layers = [
        figures.layer(rows, {"type": "tick", "thickness": 1.5, "opacity": 0.45, "size": 16}, x=x, y=y, color=colour),
        figures.layer(
            rows,
            {"type": "tick", "thickness": 3, "size": 24, "color": figures.INK},
            x={**x, "aggregate": "median"},
            y=y,
        ),
    ]
    told = "; ".join(f"{group}: {sum(name == group for name, _ in values)} sessions" for group in order)
    spec = figures.layered(layers, width=WIDTH - LABELS, height=30 * len(order))
    return figures.drawn(spec, title, told, labels=LABELS - 8)


def _thinned(values: Sequence[tuple[str, float]], order: Sequence[str]) -> list[tuple[str, float]]:
    """At most 400 evenly chosen values of each group, so that the page stays small."""
    kept: list[tuple[str, float]] = []
    for group in order:
        own = sorted(value for name, value in values if name == group)
        step = max(1.0, len(own) / _MAX_DOTS)
        kept.extend((group, own[int(i * step)]) for i in range(min(len(own), _MAX_DOTS)))
    return kept


SHOWN = ("question_rate", "open_question_share", "reflection_rate", "therapist_input_rate", "therapist_talk_share")
"""Nothing that only motivational interviewing knows: whoever brings sessions of another kind would take it for a figure
of theirs."""
_MAX_DIFFERENCES = 5
_MAX_APART = 6
"""So many sessions without groups are shown one by one: a mean of two opposite ones describes neither."""
_SHORT = 20
"""Turns of both speakers below which one turn more or less moves a percentage by ten points or so."""


class Bar(NamedTuple):
    """The mean of one group: how long the bar is (0 to 100), what stands beside it, and how far unsure codes could move
    it."""

    group: str
    width: int
    value: str
    colour: str
    reach: str
    low: int
    high: int


def render_one_page(summary: ScoreSummary) -> str:
    """The page as HTML, for one sheet of paper: no script, no external request."""
    apart = summary.groups is None and len(summary.sessions) <= _MAX_APART
    by_id = {one.id: one for one in summary.measures}
    lines = [
        (
            row.measure,
            [_bar(row.measure, *one) for one in (_each if apart else _means)(summary, row)],
            "; ".join(sorted(summary.reasons.get(row.measure.id, {}))[:_MAX_REASONS]),
        )
        for row in summary.rows(
            [*map(by_id.__getitem__, SHOWN), *(one for one in summary.measures if one.asked and one.id not in SHOWN)]
        )
    ]
    sizes = [sum(one.group == group for one in summary.sessions) for group in summary.groups or ()]
    differences = _differences(summary)
    return (
        environment(_PAGES)
        .get_template("one_page.html.j2")
        .render(
            summary=summary,
            lines=lines,
            doubtful=any(bar.reach for _, bars, _ in lines for bar in bars),
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


def _bar(measure: Measure, name: str, value: float | None, colour: str, doubt: Bounds | None) -> Bar:
    reach = span(value, measure, doubt)
    low, high = doubt if doubt and reach else (0.0, 0.0)
    width, low_at, high_at = (round(100 * share) for share in (value or 0.0, low, high))
    return Bar(name, width, measure.show(value), colour, reach, low_at, high_at)


def _means(summary: ScoreSummary, row: Row) -> list[_Told]:
    return [
        (
            group if summary.groups else "mean",
            row.means[group].mean.estimate,
            colour,
            _mean_bounds([one for one in summary.sessions if not summary.groups or one.group == group], row.measure.id),
        )
        for group, colour in zip(summary.shown_groups, (FIRST, SECOND), strict=False)
    ]


def _mean_bounds(sessions: Sequence[SessionValues], measure: str) -> Bounds | None:
    found = [one.doubt[measure] for one in sessions if one.values[measure] is not None and measure in one.doubt]
    return (fmean(low for low, _ in found), fmean(high for _, high in found)) if found else None


def _each(summary: ScoreSummary, row: Row) -> list[_Told]:
    id = row.measure.id
    return [(one.session, one.values[id], FIRST, one.doubt.get(id)) for one in summary.sessions]


def _differences(summary: ScoreSummary) -> list[str]:
    """What differs between the groups also among sessions of like length, the surest first, in words."""
    found = []
    for row in (row for _, own in summary.families() for row in own):
        one = row.compared
        if one is not None and row.measure.id != "sure_share" and row.verdict[1] == "holds":
            first, second = row.medians
            told = f"{row.measure.title}: {first} in {one.groups[0]}, {second} in {one.groups[1]} (medians)"
            found.append((one.q or 1.0, told))
    return [told for _, told in sorted(found)[:_MAX_DIFFERENCES]]
