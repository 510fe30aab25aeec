"""Draws the report's pictures as small static SVG: effects, belief trajectories, and what was asked when.

Pictures are Vega-Lite specifications, drawn by vl_convert, which is imported only when one is drawn. Colours are from
the Okabe-Ito palette, darkened until they can be read on white; shape, dash or size always says the same as colour.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maieutic.domain.codes import QUESTIONS, TELLING, Move
from maieutic.evaluation.curves import BY_PATIENT, BY_THERAPIST, Cell, Curve
from maieutic.stats import Interval

Spec = dict[str, Any]

BLUE, TEAL, ORANGE, PURPLE, GREY, INK = "#0b5c94", "#00705a", "#b04a00", "#7a3d74", "#5c6670", "#1c2430"
THIN, GRID = "#9aa4ae", "#e6eaee"
KIND_COLOURS: Mapping[str, str] = {
    "asks": BLUE,
    "gives back": TEAL,
    "tells": ORANGE,
    "other": GREY,
    BY_PATIENT: PURPLE,
    BY_THERAPIST: ORANGE,
}
_SHAPES = ["square", "square", "square", "square", "circle", "triangle-up"]
_GIVING_BACK = frozenset({Move.REFLECTION, Move.SUMMARY, Move.AFFIRMATION})
_AXIS = {
    "labelColor": INK,
    "titleColor": INK,
    "labelFontSize": 11,
    "titleFontSize": 11,
    "titleFontWeight": "normal",
    "grid": False,
    "domainColor": THIN,
    "tickColor": THIN,
}
_BARE = {"ticks": False, "domain": False}
_PADDING = {"left": 20, "right": 12, "top": 4, "bottom": 4}  # room for system fonts wider than the one measured with


def scaled(field: str, title: str | None = None, **more: Any) -> Spec:
    """A number on a scale."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def named(field: str, **more: Any) -> Spec:
    """A name: a place on an axis, a colour or a shape."""
    return {"field": field, "type": "nominal", **more}


def layer(rows: Sequence[Mapping[str, Any]], mark: Spec, **encoding: Spec) -> Spec:
    """Rows, how one is marked, and what is shown of it."""
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}


def layered(layers: Sequence[Spec], *, width: int, height: int | Spec) -> Spec:
    """Layers in one picture, for `drawn`."""
    return {"layer": layers, "width": width, "height": height}


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of the effect chart."""

    label: str
    interval: Interval
    text: str
    privileged: bool


def effects(bars: Sequence[Bar], *, title: str, axis: str = "points less convinced") -> str:
    """Forest chart: estimate and 95 % interval an arm, in the given order; a hollow diamond marks a privileged arm."""
    shown = [b for b in bars if b.interval.estimate is not None]
    ends = [v for b in shown for v in (b.interval.estimate, b.interval.low, b.interval.high) if v is not None]
    low, high = min(0.0, *ends), max(0.0, *ends)
    pad = max(1.0, 0.06 * (high - low))
    scale = {"domain": [low - pad, high + pad], "nice": False}
    rows = [
        {"arm": b.label, "at": b.interval.estimate, "low": b.interval.low, "high": b.interval.high, "p": b.privileged}
        for b in shown
    ]
    names = {"labelLimit": 200, "labelFontSize": 11, **_BARE}
    y = named("arm", sort=[b.label for b in shown], title=None, axis=names)
    place = {"type": "quantitative", "scale": scale, "title": axis, "axis": {"tickCount": 6}}
    at, start, end = ({"field": name, **place} for name in ("at", "low", "zero"))
    point = {"type": "point", "size": 95, "strokeWidth": 2, "color": BLUE, "opacity": 1}
    bounded = [row for row in rows if row["low"] is not None]
    layers = [
        layer([{"zero": 0}], {"type": "rule", "color": GREY, "strokeDash": [4, 3]}, x=end),
        layer(bounded, {"type": "rule", "strokeWidth": 3, "color": BLUE}, x=start, x2={"field": "high"}, y=y),
        *(
            layer([row for row in rows if row["p"] is privileged], {**point, "shape": shape, "fill": fill}, x=at, y=y)
            for privileged, shape, fill in ((False, "circle", BLUE), (True, "diamond", "#ffffff"))
        ),
    ]
    told = "; ".join(f"{b.label}: {b.text}" for b in shown)
    return drawn(layered(layers, width=205, height={"step": 26}), title, told)


def trajectory(found: Curve, *, warranted: float | None, title: str, description: str) -> str:
    """Held conviction over therapist turns: mean, band over cases, a thin line a case, the warranted level dotted."""
    thin = [
        {"turn": t, "value": round(v, 2), "case": name} for name, own in found.cases.items() for t, v in enumerate(own)
    ]
    x, y = _turns(found), _values("held conviction", [0, 25, 50, 75, 100])
    line = {"type": "line", "color": THIN, "strokeWidth": 0.8, "opacity": 0.8}
    layers = [layer(thin, line, x=x, y=y, detail=named("case"))]
    layers += _mean_and_band(found, x, y, colour=BLUE, dash=[1, 0])
    if warranted is not None:
        rule = {"type": "rule", "color": INK, "strokeDash": [2, 3], "strokeWidth": 1}
        layers.append(layer([{"value": warranted}], rule, y=y))
    return drawn(layered(layers, width=245, height=130), title, description)


def steps_of(points: Sequence[tuple[int, float]], *, title: str) -> str:
    """One figure of a training over its steps."""
    values = [{"step": step, "value": value} for step, value in points]
    x = scaled("step", "step", axis={"tickCount": 5, "format": "d", "tickMinStep": 1})
    y = scaled("value", scale={"zero": False})
    mark = {"type": "line", "color": BLUE, "strokeWidth": 1.5, "point": len(values) < 2}
    chart = {**layer(values, mark, x=x, y=y), "width": 420, "height": 130}
    return drawn(chart, title, f"from {values[0]['value']:.3g} to {values[-1]['value']:.3g} in {len(values)} steps")


def openness(opened: Curve, reactant: Curve, *, title: str, description: str) -> str:
    """Openness (solid) and reactance (dashed) over therapist turns, each 0–1, with bands over cases."""
    x, y = _turns(opened), _values("0 to 1", [0, 0.5, 1])
    layers = _mean_and_band(opened, x, y, colour=TEAL, dash=[1, 0])
    layers += _mean_and_band(reactant, x, y, colour=ORANGE, dash=[5, 3])
    return drawn(layered(layers, width=245, height=70), title, description)


def timetable(cells: Sequence[Cell], rows: Sequence[str], *, turns: int, title: str, description: str) -> str:
    """Turn by what was done in it; the area of a mark is the share of sessions, a full square is all of them."""
    width = 215
    largest = min(11.0, 0.95 * width / max(turns, 1)) ** 2
    data = [
        {"row": c.row.replace("_", " "), "turn": c.turn, "share": round(c.share, 3), "kind": kind_of(c.row)}
        for c in cells
        if c.share > 0
    ]
    order = [row.replace("_", " ") for row in rows]
    kinds, colours = list(KIND_COLOURS), list(KIND_COLOURS.values())
    y_axis = {"grid": True, "gridColor": GRID, "labelLimit": 140, **_BARE}
    x_axis = {"tickCount": 5, "format": "d", "tickMinStep": 1}
    x_scale = {"domain": [0.4, turns + 0.6], "nice": False}
    chart = layer(
        data,
        {"type": "point", "filled": True, "opacity": 1},
        x=scaled("turn", "therapist turn", scale=x_scale, axis=x_axis),
        y=named("row", title=None, sort=order, scale={"domain": order}, axis=y_axis),
        size=scaled("share", scale={"domain": [0, 1], "range": [0, largest]}, legend=None),
        color=named("kind", scale={"domain": kinds, "range": colours}, legend=None),
        shape=named("kind", scale={"domain": kinds, "range": _SHAPES}, legend=None),
    )
    return drawn({**chart, "width": width, "height": {"step": 15}}, title, description)


def kind_of(row: str) -> str:
    """The family of a row of the timetable: asks, gives back, tells, other, or a fact that came up."""
    if row in (BY_PATIENT, BY_THERAPIST):
        return row
    move = Move(row)
    if move in QUESTIONS:
        return "asks"
    if move in _GIVING_BACK:
        return "gives back"
    return "tells" if move in TELLING | {Move.CHALLENGE, Move.FEELING_CLAIM} else "other"


def _turns(found: Curve) -> Spec:
    scale = {"domain": [0, max(found.points[-1].turn, 1)], "nice": False}
    return scaled("turn", "therapist turn", scale=scale, axis={"tickCount": 5, "format": "d"})


def _values(title: str, ticks: Sequence[float]) -> Spec:
    return scaled("value", title, scale={"domain": [ticks[0], ticks[-1]]}, axis={"values": list(ticks)})


def _mean_and_band(found: Curve, x: Spec, y: Spec, *, colour: str, dash: Sequence[int]) -> list[Spec]:
    band = [
        {"turn": p.turn, "value": round(p.low, 3), "high": round(p.high, 3)}
        for p in found.points
        if p.low is not None and p.high is not None
    ]
    mean = [{"turn": p.turn, "value": round(p.mean, 3)} for p in found.points]
    line = {"type": "line", "color": colour, "strokeWidth": 2.5, "strokeDash": list(dash)}
    return [
        layer(band, {"type": "area", "color": colour, "opacity": 0.18}, x=x, y=y, y2={"field": "high"}),
        layer(mean, line, x=x, y=y),
    ]


def drawn(chart: Spec, title: str, description: str) -> str:
    """The chart as inline SVG with title and description, without addresses, fonts or labels on single marks."""
    import vl_convert

    config = {"font": "sans-serif", "background": "transparent", "axis": _AXIS, "view": {"stroke": None}}
    raw = vl_convert.vegalite_to_svg({**chart, "config": config, "padding": _PADDING})
    body = raw[raw.index(">") + 1 : raw.rindex("</svg>")]
    body = re.sub(r' (?:class|role|aria-[a-z]+|pointer-events|font-family)="[^"]*"', "", body)
    body = re.sub(r'<path d="[^"]*" display="none"/>', "", body)
    body = body.replace('<path d="M0,0h0v0h0Z"/>', "")
    wide, high = raw.partition('viewBox="0 0 ')[2].partition('"')[0].split()
    return (
        f'<svg role="img" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}">'
        f"<title>{html.escape(title)}</title><desc>{html.escape(description)}</desc>{body}</svg>"
    )
