"""Small charts for the report: AUC intervals of one measure, and the sessions' values by group."""

from __future__ import annotations

from collections.abc import Sequence

from maieutic.runs.figures import (
    BARE,
    BLUE,
    GREY,
    INK,
    LABEL_PADDING,
    ORANGE,
    Bar,
    Spec,
    drawn,
    forest,
    layer,
    layered,
    named,
)
from maieutic.scoring.groups import Comparison

WIDTH = 280
LABELS = 84
"""Every strip has the same room for labels on its left, so that the scales stand below each other."""
FIRST, SECOND = BLUE, ORANGE
_MAX_DOTS = 400
_NAMES = {"title": None, "labelPadding": LABEL_PADDING, "labelLimit": 80, **BARE}


def auc_strip(comparison: Comparison, title: str = "AUC") -> str:
    """Three dots with intervals on 0 to 1: as it is, length taken out, pairs of like length."""
    ways = (("as it is", comparison.raw), ("log words out", comparison.residual), ("like length", comparison.matched))
    bars = [
        Bar(way, one, one.shown(), colour=FIRST if one.estimate is not None and one.estimate >= 0.5 else SECOND)
        for way, one in ways
    ]
    ticks = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".2~f"}
    size = (WIDTH - LABELS, 20)
    return forest(bars, title=title, beside=0.5, span=(0, 1), ticks=ticks, size=size, labels=LABELS - 8)


def value_strip(
    values: Sequence[tuple[str, float]],
    order: Sequence[str],
    *,
    percent: bool,
    log: bool = False,
    title: str = "Sessions",
) -> str:
    """One tick a session, one row a group, and a dark mark at the median."""
    scale: Spec = {"type": "log", "nice": True} if log else {"zero": True, "nice": True}
    if percent:
        scale = {"domain": [0, 1]}
    axis = {"title": None, "format": ".0%" if percent else ",~f", "tickCount": 4}
    axis |= {"labelOverlap": True, "labelFlush": False}
    colours = [FIRST, SECOND, *[GREY] * max(len(order) - 2, 0)][: len(order)]
    x = {"field": "value", "type": "quantitative", "scale": scale, "axis": axis}
    y = named("group", sort=list(order), axis=_NAMES)
    colour = named("group", legend=None, scale={"domain": list(order), "range": colours})
    rows = [{"group": group, "value": value} for group, value in _thinned(values, order)]
    layers = [
        layer(rows, {"type": "tick", "thickness": 1.5, "opacity": 0.45, "size": 16}, x=x, y=y, color=colour),
        layer(rows, {"type": "tick", "thickness": 3, "size": 24, "color": INK}, x={**x, "aggregate": "median"}, y=y),
    ]
    told = "; ".join(f"{group}: {sum(name == group for name, _ in values)} sessions" for group in order)
    spec = layered(layers, width=WIDTH - LABELS, height=30 * len(order))
    return drawn(spec, title, told, labels=LABELS - 8)


def _thinned(values: Sequence[tuple[str, float]], order: Sequence[str]) -> list[tuple[str, float]]:
    """At most 400 evenly chosen values of each group, so that the page stays small."""
    kept: list[tuple[str, float]] = []
    for group in order:
        own = sorted(value for name, value in values if name == group)
        step = max(1.0, len(own) / _MAX_DOTS)
        kept.extend((group, own[int(i * step)]) for i in range(min(len(own), _MAX_DOTS)))
    return kept
