"""The one way figures are drawn: small static SVG in one style, an estimate always with its interval.

A figure is a Vega-Lite specification, drawn by vl_convert, which is imported only when one is drawn. Colours are from
the Okabe-Ito palette, darkened until they can be read on white; shape, dash or size always says the same as colour.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maieutic.stats import Interval

Spec = dict[str, Any]

BLUE, TEAL, ORANGE, PURPLE, GREY, INK = "#0b5c94", "#00705a", "#b04a00", "#7a3d74", "#5c6670", "#1c2430"
THIN, GRID = "#9aa4ae", "#e6eaee"
DASHED: Spec = {"type": "rule", "color": GREY, "strokeDash": [4, 3]}
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
LABEL_PADDING = 8
BARE = {"ticks": False, "domain": False}
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
    """One line of a forest chart.

    Attributes:
        label: Its name on the left.
        interval: Estimate and bounds.
        text: The same in words.
        privileged: Marked by a hollow diamond.
        colour: Of the mark and its bounds.
    """

    label: str
    interval: Interval
    text: str
    privileged: bool = False
    colour: str = BLUE


def forest(
    bars: Sequence[Bar],
    *,
    title: str,
    axis: str | None = None,
    beside: float = 0.0,
    span: tuple[float, float] | None = None,
    ticks: Spec | None = None,
    size: tuple[int, int] = (205, 26),
    labels: int | None = None,
) -> str:
    """Estimate and 95 % interval of each, in the given order, beside a dashed line.

    Args:
        axis: What is shown. beside: Where the dashed line stands, with no difference.
        span: Ends of the scale; as far as the values reach where none is given.
        ticks: Of the scale, in Vega's words.
        size: Width, and height of a line. labels: Room for the names; as much as they take where none is given.
    """
    shown = [b for b in bars if b.interval.estimate is not None]
    if span is None:
        ends = [v for b in shown for v in (b.interval.estimate, b.interval.low, b.interval.high) if v is not None]
        low, high = min(beside, *ends), max(beside, *ends)
        pad = max(1.0, 0.06 * (high - low))
        span = (low - pad, high + pad)
    rows = [
        {"name": b.label, "at": b.interval.estimate, "low": b.interval.low, "high": b.interval.high, "p": b.privileged}
        for b in shown
    ]
    names = {"labelLimit": 200, "labelFontSize": 11, **BARE}
    names |= {"labelPadding": LABEL_PADDING} if labels is not None else {}
    y = named("name", sort=[b.label for b in shown], title=None, axis=names)
    scale = {"domain": list(span), "nice": False}
    place = {"type": "quantitative", "scale": scale, "title": axis, "axis": ticks or {"tickCount": 6}}
    at, start, end = ({"field": name, **place} for name in ("at", "low", "zero"))
    layers = [layer([{"zero": beside}], DASHED, x=end)]
    for colour in dict.fromkeys(b.colour for b in shown):
        own = [row for row, b in zip(rows, shown, strict=True) if b.colour == colour]
        bounded = [row for row in own if row["low"] is not None]
        point = {"type": "point", "size": 95, "strokeWidth": 2, "color": colour, "opacity": 1}
        rule = {"type": "rule", "strokeWidth": 3, "color": colour}
        layers.append(layer(bounded, rule, x=start, x2={"field": "high"}, y=y))
        for privileged, shape, fill in ((False, "circle", colour), (True, "diamond", "#ffffff")):
            marked = [row for row in own if row["p"] is privileged]
            layers.append(layer(marked, {**point, "shape": shape, "fill": fill}, x=at, y=y))
    told = "; ".join(f"{b.label}: {b.text}" for b in shown)
    return drawn(layered(layers, width=size[0], height={"step": size[1]}), title, told, labels=labels)


def steps_of(points: Sequence[tuple[int, float]], *, title: str) -> str:
    """One figure of a training over its steps."""
    values = [{"step": step, "value": value} for step, value in points]
    x = scaled("step", "step", axis={"tickCount": 5, "format": "d", "tickMinStep": 1})
    y = scaled("value", scale={"zero": False})
    mark = {"type": "line", "color": BLUE, "strokeWidth": 1.5, "point": len(values) < 2}
    chart = {**layer(values, mark, x=x, y=y), "width": 420, "height": 130}
    return drawn(chart, title, f"from {values[0]['value']:.3g} to {values[-1]['value']:.3g} in {len(values)} steps")


def drawn(chart: Spec, title: str, description: str, *, labels: int | None = None) -> str:
    """The chart as inline SVG with title and description, without addresses, fonts or labels on single marks.

    `labels` is the room for names on the left, so that the scales of several charts stand below each other.
    """
    import vl_convert

    config: Spec = {"font": "sans-serif", "background": "transparent", "axis": _AXIS, "view": {"stroke": None}}
    if labels is not None:
        config["axisY"] = {"minExtent": labels, "maxExtent": labels}
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
