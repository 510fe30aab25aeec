"""The numbers behind the report's pictures: how hidden quantities move over the turns, and which move comes when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode
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
