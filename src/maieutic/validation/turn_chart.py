"""The one chart of the evidence page and of the documentation's picture: lines over therapist turns, and marks on
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maieutic.evaluation import charts

LINE: charts.Spec = {"type": "line", "strokeWidth": 2}


@dataclass(frozen=True, slots=True)
class Layer:
    """Rows with `turn` and `value`, how one is marked, and what is shown besides its place."""

    rows: Sequence[Mapping[str, Any]]
    mark: charts.Spec
    encoding: charts.Spec


def over_turns(
    lines: Layer, marks: Layer, *, title: str, scale: charts.Spec, width: int, height: int, ticks: int
) -> charts.Spec:
    """Lines over therapist turns with marks laid on them, for `charts.drawn`.

    Args:
        lines: What is drawn below, as a rule with `LINE`.
        marks: What is laid over them.
        title: Title of the value axis.
        scale: Scale of the value axis.
        width, height: Of the plot, in pixels.
        ticks: About how many ticks the turns get.
    """
    place = {
        "x": {"field": "turn", "type": "quantitative", "title": "therapist turn", "axis": {"tickCount": ticks}},
        "y": {"field": "value", "type": "quantitative", "title": title, "scale": scale},
    }
    layers = (lines, marks)
    return {
        "width": width,
        "height": height,
        "layer": [
            {"data": {"values": one.rows}, "mark": one.mark, "encoding": {**place, **one.encoding}} for one in layers
        ],
    }
