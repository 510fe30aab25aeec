"""A practice session as a picture: conviction, openness and distress over the turns, and what happened at which turn."""

from __future__ import annotations

from collections.abc import Sequence

from maieutic.evaluation import charts
from maieutic.practice.model import ASSUMPTION, Point, TurnFeedback
from maieutic.validation.turn_chart import LINE, Layer, over_turns

_LINES = ("conviction", "distress", "openness × 100")
_MARKS = ("something was kept", "less convinced", "more convinced")
CLEARLY = 1.5


def picture(points: Sequence[Point], turns: Sequence[TurnFeedback]) -> str:
    """The session as inline SVG with title and description.

    Args:
        points: The simulated mind before the first turn and after each; at least one.
        turns: Feedback on the turns; their marks stand on the line of conviction.
    """
    rows = [
        {"turn": one.turn, "value": round(value, 2), "what": name}
        for one in points
        for name, value in zip(_LINES, (one.conviction, one.distress, 100.0 * one.openness), strict=True)
    ]
    at = {one.turn: one.conviction for one in points}
    marks = [
        {"turn": one.number, "value": round(at[one.number], 2), "event": event}
        for one in turns
        if one.number in at
        for event in _events(one)
    ]
    legend = {"title": None, "orient": "bottom"}
    colours = {"domain": list(_LINES), "range": [charts.BLUE, charts.ORANGE, charts.TEAL]}
    dashes = {"domain": list(_LINES), "range": [[1, 0], [5, 3], [2, 2]]}
    shapes = {"domain": list(_MARKS), "range": ["square", "triangle-down", "triangle-up"]}
    what = {
        "color": {"field": "what", "type": "nominal", "scale": colours, "legend": legend},
        "strokeDash": {"field": "what", "type": "nominal", "scale": dashes, "legend": legend},
    }
    dot = {"type": "point", "filled": True, "size": 80, "color": charts.INK, "opacity": 1}
    spec = over_turns(
        Layer(rows, LINE, what),
        Layer(marks, dot, {"shape": {"field": "event", "type": "nominal", "scale": shapes, "legend": legend}}),
        title="0 to 100",
        scale={"domain": [0, 100]},
        width=620,
        height=240,
        ticks=max(2, min(10, len(points))),
    )
    first, last = points[0], points[-1]
    told = (
        f"Over {last.turn} turns conviction went from {first.conviction:.0f} to {last.conviction:.0f}, distress from "
        f"{first.distress:.0f} to {last.distress:.0f}, openness from {first.openness:.2f} to {last.openness:.2f}. {ASSUMPTION}"
    )
    return charts.drawn(spec, "Your session, turn by turn", told)


def _events(one: TurnFeedback) -> list[str]:
    found = [_MARKS[0]] if one.held_back else []
    if one.conviction is not None and abs(one.conviction) >= CLEARLY:
        found.append(_MARKS[1] if one.conviction < 0 else _MARKS[2])
    return found
