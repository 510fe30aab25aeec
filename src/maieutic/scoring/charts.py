"""Small charts for the report as SVG text: AUC intervals of one measure, and the sessions' values by group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maieutic.scoring.groups import Comparison

WIDTH = 300
LABELS = 84
FIRST, SECOND, GREY = "#1f5fa8", "#b4530a", "#5b6470"
_MAX_DOTS = 400
_CONFIG = {
    "view": {"stroke": None},
    "background": "white",
    "font": "sans-serif",
    "axisY": {"minExtent": LABELS - 8, "maxExtent": LABELS - 8},
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 11,
        "labelColor": "#3b424c",
        "titleColor": "#3b424c",
        "titleFontWeight": "normal",
        "domainColor": "#aab1ba",
        "tickColor": "#aab1ba",
        "gridColor": "#eceff2",
    },
}


def auc_strip(comparison: Comparison) -> str:
    """Three dots with intervals on 0 to 1: as it is, length taken out, pairs of like length."""
    import altair as alt

    named = (("as it is", comparison.raw), ("log words out", comparison.residual), ("like length", comparison.matched))
    rows = [
        {"way": way, "auc": one.estimate, "low": one.low, "high": one.high}
        for way, one in named
        if one.estimate is not None
    ]
    order = [way for way, _ in named]
    y = alt.Y(
        "way:N",
        sort=order,
        scale=alt.Scale(domain=order),
        axis=alt.Axis(title=None, domain=False, ticks=False, labelPadding=8),
    )
    x = alt.X(
        "auc:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(title=None, values=[0, 0.25, 0.5, 0.75, 1], format=".2~f"),
    )
    table = alt.Chart(alt.InlineData(values=rows))
    half = (
        alt.Chart(alt.InlineData(values=[{"half": 0.5}]))
        .mark_rule(color="#7a828c", strokeDash=[3, 3])
        .encode(x="half:Q")
    )
    colour = alt.condition(alt.datum.auc >= 0.5, alt.value(FIRST), alt.value(SECOND))
    lines = table.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q", y=y, color=colour)
    dots = table.mark_circle(size=70, opacity=1).encode(x=x, y=y, color=colour)
    return _svg(half + lines + dots, width=WIDTH - LABELS, height=58)


def value_strip(values: Sequence[tuple[str, float]], order: Sequence[str], *, percent: bool, log: bool = False) -> str:
    """One tick a session, one row a group, and a black mark at the median."""
    import altair as alt

    kept = _thinned(values, order)
    rows = [{"group": group, "value": value} for group, value in kept]
    scale = alt.Scale(type="log", nice=True) if log else alt.Scale(zero=True, nice=True)
    if percent:
        scale = alt.Scale(domain=[0, 1])
    axis = alt.Axis(title=None, format=".0%" if percent else ",~f", tickCount=4, labelOverlap=True, labelFlush=False)
    colours = alt.Scale(domain=list(order), range=[FIRST, SECOND, *[GREY] * max(len(order) - 2, 0)][: len(order)])
    table = alt.Chart(alt.InlineData(values=rows))
    y = alt.Y(
        "group:N", sort=list(order), axis=alt.Axis(title=None, domain=False, ticks=False, labelLimit=80, labelPadding=8)
    )
    ticks = table.mark_tick(thickness=1.5, opacity=0.45, size=16).encode(
        x=alt.X("value:Q", scale=scale, axis=axis), y=y, color=alt.Color("group:N", scale=colours, legend=None)
    )
    middle = table.mark_tick(thickness=3, size=24, color="#14181d").encode(x=alt.X("median(value):Q", scale=scale), y=y)
    return _svg(ticks + middle, width=WIDTH - LABELS, height=30 * len(order))


def _thinned(values: Sequence[tuple[str, float]], order: Sequence[str]) -> list[tuple[str, float]]:
    """At most 400 evenly chosen values of each group, so that the page stays small."""
    kept: list[tuple[str, float]] = []
    for group in order:
        own = sorted(value for name, value in values if name == group)
        step = max(1.0, len(own) / _MAX_DOTS)
        kept.extend((group, own[int(i * step)]) for i in range(min(len(own), _MAX_DOTS)))
    return kept


def _svg(chart: Any, *, width: int, height: int) -> str:
    import vl_convert

    spec = chart.properties(width=width, height=height).to_dict(validate=False)
    # Every strip has the same room for labels on its left, so that the scales stand below each other.
    spec |= {"config": _CONFIG, "padding": 2}
    return str(vl_convert.vegalite_to_svg(spec))
