"""The pictures of sessions and the numbers behind them: belief trajectories, openness, what was asked when, and those
of a report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from maieutic.domain.codes import QUESTIONS, TELLING, Move
from maieutic.domain.episode import Episode
from maieutic.domain.randomness import derive
from maieutic.evaluation.findings import figure, plural, ranked
from maieutic.evaluation.summary import EFFECT, Summary, group_of
from maieutic.runs import figures
from maieutic.stats import bootstrap_mean

Quantity = Literal["held", "openness", "reactance"]
BY_PATIENT = "fact voiced"
BY_THERAPIST = "fact told"


@dataclass(frozen=True, slots=True)
class Point:
    """The mean over episodes after a number of therapist turns, with its bounds over cases where there are two or
    more."""

    turn: int
    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Curve:
    """One hidden quantity of one arm over the turns.

    Attributes:
        points: From 0 (before the first therapist turn) on.
        cases: Mean over the seeds of each case, turn by turn.
        episodes: Sessions behind it; failed ones are left out.
        carried: Sessions that ended before the last turn and keep their last value from there.
    """

    quantity: Quantity
    points: tuple[Point, ...]
    cases: Mapping[str, tuple[float, ...]]
    episodes: int
    carried: int


@dataclass(frozen=True, slots=True)
class Cell:
    """Share of the sessions that got to a turn in which something happened in it."""

    row: str
    turn: int
    share: float
    sessions: int


def curve(
    episodes: Sequence[Episode], quantity: Quantity, *, turns: int, rng: Random, draws: int = 1000
) -> Curve | None:
    """Mean and 95 % bootstrap band over cases; None when no session has hidden states."""
    usable = [e for e in episodes if e.states and not e.failed]
    if not usable:
        return None
    values = [_filled([float(getattr(state, quantity)) for state in e.states], turns + 1) for e in usable]
    labels = [e.key.case for e in usable]
    points = []
    for turn in range(turns + 1):
        found = bootstrap_mean([v[turn] for v in values], clusters=labels, rng=rng, draws=draws)
        assert found.estimate is not None
        points.append(Point(turn, found.estimate, found.low, found.high))
    by_case: dict[str, list[Sequence[float]]] = defaultdict(list)
    for label, series in zip(labels, values, strict=True):
        by_case[label].append(series)
    cases = {
        name: tuple(sum(series[turn] for series in own) / len(own) for turn in range(turns + 1))
        for name, own in sorted(by_case.items())
    }
    return Curve(quantity, tuple(points), cases, len(usable), sum(len(e.states) <= turns for e in usable))


def mean_warranted(episodes: Sequence[Episode]) -> float | None:
    """Mean of the convictions that the cases' facts warrant; None where the episodes do not say."""
    known = [e.provenance["warranted"] for e in episodes if e.provenance.get("warranted") is not None and not e.failed]
    return sum(known) / len(known) if known else None


def longest(episodes: Sequence[Episode]) -> int:
    """Therapist turns of the longest session."""
    return max((max(len(e.states) - 1, len(e.codes)) for e in episodes), default=0)


def moves_in_use(episodes: Sequence[Episode]) -> tuple[Move, ...]:
    """Moves that occur at all, in code-book order."""
    seen = {move for e in episodes for code in e.codes if code is not None for move in code.moves}
    return tuple(move for move in Move if move in seen)


def asked_when(episodes: Sequence[Episode], moves: Sequence[Move]) -> tuple[Cell, ...]:
    """Share of sessions whose k-th therapist turn has each move, and in which facts against the thought came up."""
    cells: list[Cell] = []
    spoken = [e for e in episodes if any(code is not None for code in e.codes)]
    for turn in range(1, longest(spoken) + 1):
        here = [e for e in spoken if len(e.codes) >= turn and e.codes[turn - 1] is not None]
        if not here:
            continue
        for move in moves:
            with_move = sum(move in code for e in here if (code := e.codes[turn - 1]) is not None)
            cells.append(Cell(move.value, turn, with_move / len(here), len(here)))
        minds = [e for e in here if e.states]
        for row, speaker in ((BY_PATIENT, "patient"), (BY_THERAPIST, "therapist")) if minds else ():
            found = sum(_came_up(e, turn, speaker) for e in minds)
            cells.append(Cell(row, turn, found / len(minds), len(minds)))
    return tuple(cells)


def by_part(cells: Sequence[Cell]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The same shares as a table: mean over each part of the session, as text, one row a move; the first row is the
    head."""
    last = max((c.turn for c in cells), default=0)
    parts = min(4, last)
    spans = [(1 + last * k // parts, last * (k + 1) // parts) for k in range(parts)]
    head = tuple(f"turn {low}" if low == high else f"turns {low}–{high}" for low, high in spans)
    table: list[tuple[str, tuple[str, ...]]] = [("what", head)]
    for row in dict.fromkeys(c.row for c in cells):
        own = [c for c in cells if c.row == row]
        texts = []
        for low, high in spans:
            inside = [c for c in own if low <= c.turn <= high]
            sessions = sum(c.sessions for c in inside)
            texts.append(
                f"{100 * sum(c.share * c.sessions for c in inside) / sessions:.0f} %" if sessions else "no session"
            )
        table.append((row.replace("_", " "), tuple(texts)))
    return tuple(table)


def _filled(series: list[float], length: int) -> list[float]:
    return (series + [series[-1]] * (length - len(series)))[:length]


def _came_up(episode: Episode, turn: int, speaker: str) -> bool:
    against = set(episode.provenance.get("against", ()))
    return any(v.turn == turn and v.by == speaker and v.evidence in against for v in episode.states[-1].voiced)


KIND_COLOURS: Mapping[str, str] = {
    "asks": figures.BLUE,
    "gives back": figures.TEAL,
    "tells": figures.ORANGE,
    "other": figures.GREY,
    BY_PATIENT: figures.PURPLE,
    BY_THERAPIST: figures.ORANGE,
}
_SHAPES = ["square", "square", "square", "square", "circle", "triangle-up"]
_GIVING_BACK = frozenset({Move.REFLECTION, Move.SUMMARY, Move.AFFIRMATION})


def trajectory(found: Curve, *, warranted: float | None, title: str, description: str) -> str:
    """Held conviction over therapist turns: mean, band over cases, a thin line a case, the warranted level dotted."""
    thin = [
        {"turn": t, "value": round(v, 2), "case": name} for name, own in found.cases.items() for t, v in enumerate(own)
    ]
    x, y = _turns(found), _values("held conviction", [0, 25, 50, 75, 100])
    line = {"type": "line", "color": figures.THIN, "strokeWidth": 0.8, "opacity": 0.8}
    layers = [figures.layer(thin, line, x=x, y=y, detail=figures.named("case"))]
    layers += _mean_and_band(found, x, y, colour=figures.BLUE, dash=[1, 0])
    if warranted is not None:
        rule = {"type": "rule", "color": figures.INK, "strokeDash": [2, 3], "strokeWidth": 1}
        layers.append(figures.layer([{"value": warranted}], rule, y=y))
    return figures.drawn(figures.layered(layers, width=245, height=130), title, description)


def openness(opened: Curve, reactant: Curve, *, title: str, description: str) -> str:
    """Openness (solid) and reactance (dashed) over therapist turns, each 0–1, with bands over cases."""
    x, y = _turns(opened), _values("0 to 1", [0, 0.5, 1])
    layers = _mean_and_band(opened, x, y, colour=figures.TEAL, dash=[1, 0])
    layers += _mean_and_band(reactant, x, y, colour=figures.ORANGE, dash=[5, 3])
    return figures.drawn(figures.layered(layers, width=245, height=70), title, description)


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
    y_axis = {"grid": True, "gridColor": figures.GRID, "labelLimit": 140, **figures.BARE}
    x_axis = {"tickCount": 5, "format": "d", "tickMinStep": 1}
    x_scale = {"domain": [0.4, turns + 0.6], "nice": False}
    chart = figures.layer(
        data,
        {"type": "point", "filled": True, "opacity": 1},
        x=figures.scaled("turn", "therapist turn", scale=x_scale, axis=x_axis),
        y=figures.named("row", title=None, sort=order, scale={"domain": order}, axis=y_axis),
        size=figures.scaled("share", scale={"domain": [0, 1], "range": [0, largest]}, legend=None),
        color=figures.named("kind", scale={"domain": kinds, "range": colours}, legend=None),
        shape=figures.named("kind", scale={"domain": kinds, "range": _SHAPES}, legend=None),
    )
    return figures.drawn({**chart, "width": width, "height": {"step": 15}}, title, description)


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


def _turns(found: Curve) -> figures.Spec:
    scale = {"domain": [0, max(found.points[-1].turn, 1)], "nice": False}
    return figures.scaled("turn", "therapist turn", scale=scale, axis={"tickCount": 5, "format": "d"})


def _values(title: str, ticks: Sequence[float]) -> figures.Spec:
    return figures.scaled("value", title, scale={"domain": [ticks[0], ticks[-1]]}, axis={"values": list(ticks)})


def _mean_and_band(
    found: Curve, x: figures.Spec, y: figures.Spec, *, colour: str, dash: Sequence[int]
) -> list[figures.Spec]:
    band = [
        {"turn": p.turn, "value": round(p.low, 3), "high": round(p.high, 3)}
        for p in found.points
        if p.low is not None and p.high is not None
    ]
    mean = [{"turn": p.turn, "value": round(p.mean, 3)} for p in found.points]
    line = {"type": "line", "color": colour, "strokeWidth": 2.5, "strokeDash": list(dash)}
    return [
        figures.layer(band, {"type": "area", "color": colour, "opacity": 0.18}, x=x, y=y, y2={"field": "high"}),
        figures.layer(mean, line, x=x, y=y),
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
    drawings = []
    for arm in ranked(summary):
        own = [e for e in episodes if e.key.therapist == arm.therapist and group_of(e) == "regular"]
        seed = int(manifest.get("run_seed") or 0)
        held, opened, reactant = (
            curve(own, quantity, turns=turns, rng=derive(seed, "curve", quantity, arm.therapist))
            for quantity in ("held", "openness", "reactance")
        )
        if held is None or opened is None or reactant is None or turns == 0:
            drawings.append({"arm": arm, "text": "no regular session with hidden states", "held": None, "opened": None})
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
        drawings.append(
            {
                "arm": arm,
                "text": text,
                "moods": moods,
                "held": trajectory(
                    held,
                    warranted=mean_warranted(own),
                    title=f"{arm.therapist}: held conviction over the turns",
                    description=text,
                ),
                "opened": openness(
                    opened, reactant, title=f"{arm.therapist}: openness and reactance over the turns", description=moods
                ),
            }
        )
    return drawings


def timetables(episodes: Sequence[Episode], summary: Summary) -> list[dict[str, Any]]:
    spoken = [e for e in episodes if group_of(e) == "regular" and not e.failed]
    moves, turns = moves_in_use(spoken), longest([e for e in spoken if e.therapist_turns])
    rows = [*sorted((m.value for m in moves), key=_row_order), BY_PATIENT, BY_THERAPIST]
    drawings = []
    for arm in ranked(summary):
        cells = asked_when([e for e in spoken if e.key.therapist == arm.therapist], moves)
        if not cells:
            continue
        parts = by_part(cells)
        description = "; ".join(
            f"{row}: {', '.join(f'{head} {share}' for head, share in zip(parts[0][1], shares, strict=True))}"
            for row, shares in parts[1:]
        )
        picture = timetable(
            cells, rows, turns=turns, title=f"{arm.therapist}: what was done in which turn", description=description
        )
        drawings.append({"arm": arm, "picture": picture, "parts": parts})
    return drawings


def _row_order(move: str) -> tuple[int, int]:
    return ("asks", "gives back", "tells", "other").index(kind_of(move)), list(Move).index(Move(move))
