"""Gathers the report's pictures, each with its caption: effects, belief trajectories, what was asked when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maieutic.domain.codes import Move
from maieutic.domain.episode import Episode
from maieutic.domain.randomness import derive
from maieutic.evaluation import charts
from maieutic.evaluation.curves import (
    BY_PATIENT,
    BY_THERAPIST,
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
