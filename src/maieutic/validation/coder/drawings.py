"""The pictures of the report on the coder: is a claimed probability right that often, and what does abstaining
bring?"""

from __future__ import annotations

from maieutic.evaluation import charts
from maieutic.validation.coder.judged import ABSTAINING, Judged

MIN_ITEMS = 5
"""Bins with fewer utterances than this are left out of the picture; the text beside it has them."""

_DASHED = {"color": charts.GREY, "strokeDash": [4, 3], "strokeWidth": 1}


def reliability(head: Judged) -> str:
    """Share that was right by probability claimed, ten bins; a dot's area is the share of utterances in it."""
    rows = [{"claimed": c, "right": r, "share": s} for s, c, r in head.bins if s * head.rows >= MIN_ITEMS]
    unit = {"domain": [0, 1], "nice": False}
    axis = {"values": [0, 0.25, 0.5, 0.75, 1]}
    x = charts.scaled("claimed", "probability claimed", scale=unit, axis=axis)
    y = charts.scaled("right", "share right", scale=unit, axis=axis)
    size = charts.scaled("share", scale={"domain": [0, 1], "range": [12, 700]}, legend=None)
    dot = {"type": "point", "filled": True, "color": charts.BLUE, "opacity": 1}
    diagonal = [{"claimed": 0, "right": 0}, {"claimed": 1, "right": 1}]
    layers = [
        charts.layer(diagonal, {"type": "line", **_DASHED}, x=x, y=y),
        charts.layer(rows, {"type": "line", "color": charts.BLUE, "strokeWidth": 1.5}, x=x, y=y),
        charts.layer(rows, dot, x=x, y=y, size=size),
    ]
    spec = charts.layered(layers, width=190, height=150)
    said = "; ".join(f"claimed {c:.2f}, right {r:.2f} ({s:.0%} of codes)" for s, c, r in head.bins)
    return charts.drawn(spec, f"Reliability, {head.plan.title}", said)


def coverage(head: Judged) -> str:
    """Macro-F1 of the utterances that are left when the least certain ones abstain."""
    rows = [{"coded": c, "value": v} for c, v in head.coverage]
    values = [v for _, v in head.coverage]
    low, high = min(values), max(values)
    pad = max(0.02, 0.1 * (high - low))
    scale = {"domain": [max(0.0, low - pad), min(1.0, high + pad)], "nice": False}
    ends = {"domain": [1.0, min(c for c, _ in head.coverage)], "nice": False}
    x = charts.scaled("coded", "share of utterances coded", scale=ends, axis={"format": ".0%", "tickCount": 5})
    y = charts.scaled("value", "macro-F1", scale=scale, axis={"tickCount": 5})
    layers = [
        charts.layer([{"coded": 1.0 - ABSTAINING}], {"type": "rule", **_DASHED}, x=x),
        charts.layer(rows, {"type": "line", "color": charts.TEAL, "strokeWidth": 2}, x=x, y=y),
    ]
    spec = charts.layered(layers, width=190, height=150)
    said = "; ".join(f"{c:.0%} coded: {v:.3f}" for c, v in head.coverage)
    return charts.drawn(spec, f"Abstaining, {head.plan.title}", said)
