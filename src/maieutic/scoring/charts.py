"""Small charts for the report as SVG text: AUC intervals of one measure, and the sessions' values by group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maieutic.scoring.groups import Comparison

Spec = dict[str, Any]

WIDTH = 300
LABELS = 84
FIRST, SECOND, GREY = "#1f5fa8", "#b4530a", "#5b6470"
_MAX_DOTS = 400
_NAMES = {"title": None, "domain": False, "ticks": False, "labelPadding": 8}
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
    named = (("as it is", comparison.raw), ("log words out", comparison.residual), ("like length", comparison.matched))
    rows = [
        {"way": way, "auc": one.estimate, "low": one.low, "high": one.high}
        for way, one in named
        if one.estimate is not None
    ]
    order = [way for way, _ in named]
    y = {"field": "way", "type": "nominal", "sort": order, "scale": {"domain": order}, "axis": _NAMES}
    axis = {"title": None, "values": [0, 0.25, 0.5, 0.75, 1], "format": ".2~f"}
    x = {"field": "auc", "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": axis}
    colour = {"condition": {"test": "(datum.auc >= 0.5)", "value": FIRST}, "value": SECOND}
    ends = {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}}
    half = {
        "data": {"values": [{"half": 0.5}]},
        "mark": {"type": "rule", "color": "#7a828c", "strokeDash": [3, 3]},
        "encoding": {"x": {"field": "half", "type": "quantitative"}},
    }
    lines = {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**ends, "y": y, "color": colour}}
    dots = {"mark": {"type": "circle", "size": 70, "opacity": 1}, "encoding": {"x": x, "y": y, "color": colour}}
    data = {"values": rows}
    return _svg([half, {"data": data, **lines}, {"data": data, **dots}], height=58)


def value_strip(values: Sequence[tuple[str, float]], order: Sequence[str], *, percent: bool, log: bool = False) -> str:
    """One tick a session, one row a group, and a black mark at the median."""
    scale: Spec = {"type": "log", "nice": True} if log else {"zero": True, "nice": True}
    if percent:
        scale = {"domain": [0, 1]}
    axis = {"title": None, "format": ".0%" if percent else ",~f", "tickCount": 4}
    axis |= {"labelOverlap": True, "labelFlush": False}
    colours = [FIRST, SECOND, *[GREY] * max(len(order) - 2, 0)][: len(order)]
    x = {"field": "value", "type": "quantitative", "scale": scale}
    y = {"field": "group", "type": "nominal", "sort": list(order), "axis": {**_NAMES, "labelLimit": 80}}
    by_group = {"domain": list(order), "range": colours}
    colour = {"field": "group", "type": "nominal", "legend": None, "scale": by_group}
    ticks = {
        "mark": {"type": "tick", "thickness": 1.5, "opacity": 0.45, "size": 16},
        "encoding": {"x": {**x, "axis": axis}, "y": y, "color": colour},
    }
    middle = {
        "mark": {"type": "tick", "thickness": 3, "size": 24, "color": "#14181d"},
        "encoding": {"x": {**x, "aggregate": "median"}, "y": y},
    }
    rows = [{"group": group, "value": value} for group, value in _thinned(values, order)]
    return _svg([ticks, middle], height=30 * len(order), data={"values": rows})


def _thinned(values: Sequence[tuple[str, float]], order: Sequence[str]) -> list[tuple[str, float]]:
    """At most 400 evenly chosen values of each group, so that the page stays small."""
    kept: list[tuple[str, float]] = []
    for group in order:
        own = sorted(value for name, value in values if name == group)
        step = max(1.0, len(own) / _MAX_DOTS)
        kept.extend((group, own[int(i * step)]) for i in range(min(len(own), _MAX_DOTS)))
    return kept


def _svg(layers: Sequence[Spec], *, height: int, **more: Any) -> str:
    import vl_convert

    # Every strip has the same room for labels on its left, so that the scales stand below each other.
    spec = {"layer": layers, "width": WIDTH - LABELS, "height": height, "config": _CONFIG, "padding": 2, **more}
    return str(vl_convert.vegalite_to_svg({"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **spec}))
