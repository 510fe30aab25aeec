"""The pictures of the report on the coder: is a claimed probability right that often, and what does abstaining
bring?"""

from __future__ import annotations

from collections.abc import Sequence

from maieutic.evaluation import charts
from maieutic.validation.coder.judged import ABSTAINING, Judged

MIN_ITEMS = 5
"""Bins with fewer utterances than this are left out of the picture; the text beside it has them."""


def reliability(head: Judged) -> str:
    """Share that was right by probability claimed, ten bins; a dot's area is the share of utterances in it."""
    rows = [{"claimed": c, "right": r, "share": s} for s, c, r in head.bins if s * head.rows >= MIN_ITEMS]
    unit = {"domain": [0, 1], "nice": False}
    x = {"field": "claimed", "type": "quantitative", "title": "probability claimed", "scale": unit, "axis": _ticks()}
    y = {"field": "right", "type": "quantitative", "title": "share right", "scale": unit, "axis": _ticks()}
    size = {"field": "share", "type": "quantitative", "scale": {"domain": [0, 1], "range": [12, 700]}, "legend": None}
    spec: charts.Spec = {
        "width": 190,
        "height": 150,
        "layer": [
            {
                "data": {"values": [{"claimed": 0, "right": 0}, {"claimed": 1, "right": 1}]},
                "mark": {"type": "line", "color": charts.GREY, "strokeDash": [4, 3], "strokeWidth": 1},
                "encoding": {"x": x, "y": y},
            },
            {
                "data": {"values": rows},
                "mark": {"type": "line", "color": charts.BLUE, "strokeWidth": 1.5},
                "encoding": {"x": x, "y": y},
            },
            {
                "data": {"values": rows},
                "mark": {"type": "point", "filled": True, "color": charts.BLUE, "opacity": 1},
                "encoding": {"x": x, "y": y, "size": size},
            },
        ],
    }
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
    x = {
        "field": "coded",
        "type": "quantitative",
        "title": "share of utterances coded",
        "scale": ends,
        "axis": {"format": ".0%", "tickCount": 5},
    }
    y = {"field": "value", "type": "quantitative", "title": "macro-F1", "scale": scale, "axis": {"tickCount": 5}}
    spec: charts.Spec = {
        "width": 190,
        "height": 150,
        "layer": [
            {
                "data": {"values": [{"coded": 1.0 - ABSTAINING}]},
                "mark": {"type": "rule", "color": charts.GREY, "strokeDash": [4, 3], "strokeWidth": 1},
                "encoding": {"x": x},
            },
            {
                "data": {"values": rows},
                "mark": {"type": "line", "color": charts.TEAL, "strokeWidth": 2},
                "encoding": {"x": x, "y": y},
            },
        ],
    }
    said = "; ".join(f"{c:.0%} coded: {v:.3f}" for c, v in head.coverage)
    return charts.drawn(spec, f"Abstaining, {head.plan.title}", said)


def _ticks() -> dict[str, Sequence[float]]:
    return {"values": [0, 0.25, 0.5, 0.75, 1]}
