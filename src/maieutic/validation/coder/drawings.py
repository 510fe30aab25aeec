"""The pictures of the report on the coder: is a claimed probability right that often, and what does abstaining
bring?"""

from __future__ import annotations

from maieutic.runs import figures
from maieutic.validation.coder.judged import ABSTAINING, Judged

MIN_ITEMS = 5
"""Bins with fewer utterances than this are left out of the picture; the text beside it has them."""


def reliability(head: Judged) -> str:
    """Share that was right by probability claimed, ten bins; a dot's area is the share of utterances in it."""
    rows = [{"claimed": c, "right": r, "share": s} for s, c, r in head.bins if s * head.rows >= MIN_ITEMS]
    unit = {"domain": [0, 1], "nice": False}
    axis = {"values": [0, 0.25, 0.5, 0.75, 1]}
    x = figures.scaled("claimed", "probability claimed", scale=unit, axis=axis)
    y = figures.scaled("right", "share right", scale=unit, axis=axis)
    size = figures.scaled("share", scale={"domain": [0, 1], "range": [12, 700]}, legend=None)
    dot = {"type": "point", "filled": True, "color": figures.BLUE, "opacity": 1}
    diagonal = [{"claimed": 0, "right": 0}, {"claimed": 1, "right": 1}]
    layers = [
        figures.layer(diagonal, {**figures.DASHED, "type": "line", "strokeWidth": 1}, x=x, y=y),
        figures.layer(rows, {"type": "line", "color": figures.BLUE, "strokeWidth": 1.5}, x=x, y=y),
        figures.layer(rows, dot, x=x, y=y, size=size),
    ]
    spec = figures.layered(layers, width=190, height=150)
    said = "; ".join(f"claimed {c:.2f}, right {r:.2f} ({s:.0%} of codes)" for s, c, r in head.bins)
    return figures.drawn(spec, f"Reliability, {head.plan.title}", said)


def coverage(head: Judged) -> str:
    """Macro-F1 of the utterances that are left when the least certain ones abstain."""
    rows = [{"coded": c, "value": v} for c, v in head.coverage]
    values = [v for _, v in head.coverage]
    low, high = min(values), max(values)
    pad = max(0.02, 0.1 * (high - low))
    scale = {"domain": [max(0.0, low - pad), min(1.0, high + pad)], "nice": False}
    ends = {"domain": [1.0, min(c for c, _ in head.coverage)], "nice": False}
    x = figures.scaled("coded", "share of utterances coded", scale=ends, axis={"format": ".0%", "tickCount": 5})
    y = figures.scaled("value", "macro-F1", scale=scale, axis={"tickCount": 5})
    layers = [
        figures.layer([{"coded": 1.0 - ABSTAINING}], {**figures.DASHED, "strokeWidth": 1}, x=x),
        figures.layer(rows, {"type": "line", "color": figures.TEAL, "strokeWidth": 2}, x=x, y=y),
    ]
    spec = figures.layered(layers, width=190, height=150)
    said = "; ".join(f"{c:.0%} coded: {v:.3f}" for c, v in head.coverage)
    return figures.drawn(spec, f"Abstaining, {head.plan.title}", said)
