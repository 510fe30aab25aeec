"""Draws the pictures of sessions: belief trajectories, openness, what was asked when, and those of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maieutic.domain.codes import QUESTIONS, TELLING, Move
from maieutic.domain.episode import Episode
from maieutic.domain.randomness import derive
from maieutic.evaluation import charts
from maieutic.evaluation.curves import (
    BY_PATIENT,
    BY_THERAPIST,
    Cell,
    Curve,
    asked_when,
    by_part,
    curve,
    longest,
    mean_warranted,
    moves_in_use,
)
from maieutic.evaluation.findings import figure, plural, ranked
from maieutic.evaluation.summary import EFFECT, Summary, group_of
from maieutic.runs import figures
from maieutic.runs.figures import (
    BARE,
    BLUE,
    GREY,
    GRID,
    INK,
    ORANGE,
    PURPLE,
    TEAL,
    THIN,
    Spec,
    drawn,
    layer,
    layered,
    named,
    scaled,
)

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
    y_axis = {"grid": True, "gridColor": GRID, "labelLimit": 140, **BARE}
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


def forest(summary: Summary) -> str | None:
    bars = []
    for arm in ranked(summary):
        row = summary.row(EFFECT, arm.therapist)
        if row is not None and row.interval.estimate is not None:
            text = figure(row, "points", signed=True).text
            bars.append(figures.Bar(arm.therapist, row.interval, text, arm.privileged))
    title = "Effect of each arm against no session, with 95 % intervals"
    return figures.forest(bars, title=title, axis="points less convinced") if bars else None


def trajectories(episodes: Sequence[Episode], summary: Summary, manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    turns = longest(episodes)
    figures = []
    for arm in ranked(summary):
        own = [e for e in episodes if e.key.therapist == arm.therapist and group_of(e) == "regular"]
        seed = int(manifest.get("run_seed") or 0)
        held, opened, reactant = (
            curve(own, quantity, turns=turns, rng=derive(seed, "curve", quantity, arm.therapist))
            for quantity in ("held", "openness", "reactance")
        )
        if held is None or opened is None or reactant is None or turns == 0:
            figures.append({"arm": arm, "text": "no regular session with hidden states", "held": None, "opened": None})
            continue
        start, end = held.points[0].mean, held.points[-1].mean
        text = (
            f"held conviction {start:.0f} → {end:.0f}; {plural(len(held.cases), 'case')}, "
            f"{plural(held.episodes, 'session')}"
        )
        text += f", {held.carried} ended early" if held.carried else ""
        moods = (
            f"openness {opened.points[0].mean:.2f} → {opened.points[-1].mean:.2f}, reactance "
            f"{reactant.points[0].mean:.2f} → {reactant.points[-1].mean:.2f}"
        )
        figures.append(
            {
                "arm": arm,
                "text": text,
                "moods": moods,
                "held": charts.trajectory(
                    held,
                    warranted=mean_warranted(own),
                    title=f"{arm.therapist}: held conviction over the turns",
                    description=text,
                ),
                "opened": charts.openness(
                    opened, reactant, title=f"{arm.therapist}: openness and reactance over the turns", description=moods
                ),
            }
        )
    return figures


def timetables(episodes: Sequence[Episode], summary: Summary) -> list[dict[str, Any]]:
    spoken = [e for e in episodes if group_of(e) == "regular" and not e.failed]
    moves, turns = moves_in_use(spoken), longest([e for e in spoken if e.therapist_turns])
    rows = [*sorted((m.value for m in moves), key=_row_order), BY_PATIENT, BY_THERAPIST]
    figures = []
    for arm in ranked(summary):
        cells = asked_when([e for e in spoken if e.key.therapist == arm.therapist], moves)
        if not cells:
            continue
        parts = by_part(cells)
        description = "; ".join(
            f"{row}: {', '.join(f'{head} {share}' for head, share in zip(parts[0][1], shares, strict=True))}"
            for row, shares in parts[1:]
        )
        picture = charts.timetable(
            cells, rows, turns=turns, title=f"{arm.therapist}: what was done in which turn", description=description
        )
        figures.append({"arm": arm, "picture": picture, "parts": parts})
    return figures


def _row_order(move: str) -> tuple[int, int]:
    return ("asks", "gives back", "tells", "other").index(charts.kind_of(move)), list(Move).index(Move(move))
