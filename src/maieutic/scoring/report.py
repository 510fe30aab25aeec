"""The report of `score` as one self-contained page: what was compared, how sure it is, and what it does not say."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from maieutic.runs.shown import environment
from maieutic.scoring import charts
from maieutic.scoring.catalogue import MI_NOTE, SessionMeasure
from maieutic.scoring.doubt import show_doubtful
from maieutic.scoring.families import LESS, compared_of, details_of, shown_families, shown_of
from maieutic.scoring.groups import Comparison, verdict
from maieutic.scoring.summary import GroupValue, ScoreSummary
from maieutic.scoring.terminal import show_q, show_value
from maieutic.scoring.validity import NOT_VALIDATED

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


@dataclass(frozen=True, slots=True)
class Row:
    """One measure on the page."""

    title: str
    meaning: str
    validity: str
    glance: tuple[str, ...]
    verdict: str
    tone: str
    values_chart: str
    auc_chart: str
    cells: tuple[tuple[str, str], ...]
    missing: str


def render_score_report(summary: ScoreSummary) -> str:
    """The whole page as HTML: no external request, no script."""
    page = environment(Path(__file__).parent / "pages").get_template("report.html.j2")
    kinds = {source.kind for source in summary.sources}
    reasons = Counter(one.reason for one in summary.not_scored)
    return page.render(
        summary=summary,
        first=summary.groups[0] if summary.groups else "",
        second=summary.groups[1] if summary.groups else "",
        counts=_counts(summary),
        families=_families(summary),
        glance=[*(f"mean {group}" for group in summary.groups or ["all"]), *(_COMPARED if summary.groups else [])],
        details=_details(summary),
        not_validated=NOT_VALIDATED,
        mi_note=MI_NOTE if summary.every else LESS,
        by_session=_by_session(summary),
        most_columns=MAX_COLUMNS,
        pages=[one for one in summary.pages if len(summary.pages) <= MAX_LINKS],
        headlines=_headlines(summary),
        demonstrations=[text for kind, text in DEMONSTRATIONS.items() if kind in kinds],
        reasons=reasons.most_common(),
        named=summary.not_scored[:30],
        first_colour=charts.FIRST,
        second_colour=charts.SECOND,
    )


def _headlines(summary: ScoreSummary) -> list[tuple[str, str]]:
    """What holds, what does not, and what length alone does: each with the measures' titles and figures."""
    if summary.groups is None:
        return []
    found: dict[str, list[str]] = {"holds": [], "open": [], "none": []}
    length: list[str] = []
    shown = {measure.id for _, own in shown_families(summary) for measure in own}
    for measure, one in zip(compared_of(summary.measures), summary.comparisons, strict=True):
        if measure.id == "sure_share" or measure.id not in shown or one.raw.estimate is None:
            continue
        told = f"{measure.title} ({one.raw.shown()})"
        if measure.length:
            length.append(told)
        else:
            found[verdict(one)[1]].append(told)
    lines = (
        ("Tell the groups apart, also at like length", found["holds"]),
        ("Tell them apart as they stand; not certain at like length, or too few sessions", found["open"]),
        ("Do not tell them apart here", found["none"]),
        ("Length alone, which says nothing about conduct", length),
    )
    return [(heading, "; ".join(titles)) for heading, titles in lines if titles]


def _families(summary: ScoreSummary) -> list[tuple[str, list[Row]]]:
    by_key = {(one.measure, one.group): one for one in summary.values}
    compared = {one.measure: one for one in summary.comparisons}
    return [
        (name, [_row(summary, measure, compared.get(measure.id), by_key) for measure in own])
        for name, own in shown_families(summary)
    ]


def _by_session(summary: ScoreSummary) -> list[tuple[str, list[tuple[str, list[str]]]]]:
    """By family: each measure with its value in every session; empty with too many sessions."""
    if len(summary.sessions) > MAX_COLUMNS:
        return []
    found = []
    for name, own in shown_families(summary):
        have = [one for one in own if any(each.values[one.id] is not None for each in summary.sessions)]
        rows = [
            (one.title, [show_doubtful(each.values[one.id], one, each.doubt.get(one.id)) for each in summary.sessions])
            for one in have
        ]
        found += [(name, rows)] if rows else []
    return found


def _missing(summary: ScoreSummary, measure: str, gaps: dict[str, int]) -> str:
    """'2 of all: 4 coded therapist turns; …': how many sessions have no value, and the commonest reasons."""
    counted = ", ".join(f"{count} of {group}" for group, count in gaps.items() if count)
    reasons = [reason for reason, _ in Counter(summary.reasons.get(measure, {})).most_common(_MAX_REASONS)]
    return counted + (f" ({' / '.join(reasons)})" if counted and reasons else "")


def _details(summary: ScoreSummary) -> list[tuple[str, list[str], str]]:
    """Means of the measures of detail, by group, and what is known of each."""
    by_key = {(one.measure, one.group): one.mean.estimate for one in summary.values}
    groups = summary.groups or ("all",)
    return [
        (one.title, [show_value(by_key[one.id, group], one) for group in groups], one.validated)
        for one in shown_of(details_of(summary.measures), every=summary.every)
    ]


def _row(
    summary: ScoreSummary,
    measure: SessionMeasure,
    one: Comparison | None,
    by_key: dict[tuple[str, str], GroupValue],
) -> Row:
    order = list(summary.groups) if summary.groups else ["all"]
    values = [
        (one_session.group if summary.groups else "all", value)
        for one_session in summary.sessions
        if (value := one_session.values[measure.id]) is not None
    ]
    kept = [(group, value) for group, value in values if group in order]
    chart = ""
    if kept:
        chart = charts.value_strip(kept, order, percent=measure.percent, log=measure.length, title=measure.title)
    cells: list[tuple[str, str]] = []
    for group in order:
        mean = by_key[measure.id, group].mean
        bounds = f"{show_value(mean.low, measure)} to {show_value(mean.high, measure)}"
        cells.append((f"mean {group}", f"{show_value(mean.estimate, measure)} ({bounds}), n = {mean.n}"))
    gaps = {group: by_key[measure.id, group].missing for group in order}
    missing = _missing(summary, measure.id, gaps)
    means = [show_value(by_key[measure.id, group].mean.estimate, measure) for group in order]
    auc = [] if one is None else [one.raw.shown(), one.matched.shown(), show_q(one.q)]
    told = (measure.title, measure.meaning, measure.validated, (*means, *auc))
    if one is None:
        return Row(*told, "", "none", chart, "", tuple(cells), missing)
    sentence, tone = verdict(one, is_length=measure.length)
    cells += [
        ("AUC as it is", one.raw.shown()),
        ("AUC, log words taken out", one.residual.shown()),
        ("AUC, pairs of like length", one.matched.shown() + (f", {one.pairs} pairs" if one.pairs else "")),
        ("q (Benjamini-Hochberg over all measures compared)", show_q(one.q)),
    ]
    strip = charts.auc_strip(one, measure.title) if one.raw.estimate is not None else ""
    return Row(*told, sentence, tone, chart, strip, tuple(cells), missing)


def _counts(summary: ScoreSummary) -> list[tuple[str, int]]:
    counts = Counter(one.group or "no group" for one in summary.sessions)
    return sorted(counts.items(), key=lambda pair: (pair[0] not in (summary.groups or ()), pair[0]))
