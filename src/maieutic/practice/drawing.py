"""A session's curves as SVG that follows the page's colours: classes only, no style of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from markupsafe import Markup

from maieutic.practice.model import Point, TurnFeedback

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 680, 250, 44, 14, 14, 40


def curves(lines: Sequence[tuple[str, str, Sequence[float]]], title: str, marked: Mapping[int, str]) -> Markup:
    """Lines over turns on a scale of 0 to 100, each as (class, name, values at turn 0, 1, …); what is marked stands on
    the first."""
    last = max(1, *(len(values) - 1 for _, _, values in lines))
    parts = [
        Markup('<svg viewBox="0 0 {} {}" role="img" class="curves"><title>{}</title>').format(WIDTH, HEIGHT, title)
    ]
    for level in (0, 25, 50, 75, 100):
        y = _y(level)
        parts.append(Markup('<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(LEFT, WIDTH - RIGHT, y, y))
        parts.append(Markup('<text x="{}" y="{}" text-anchor="end">{}</text>').format(LEFT - 8, y + 4, level))
    for turn in range(0, last + 1, max(1, last // 10)):
        parts.append(
            Markup('<text x="{}" y="{}" text-anchor="middle">{}</text>').format(_x(turn, last), HEIGHT - 20, turn)
        )
    parts.append(Markup('<text x="{}" y="{}" text-anchor="end">turn</text>').format(WIDTH - RIGHT, HEIGHT - 4))
    for kind, name, values in lines:
        points = " ".join(f"{_x(turn, last)},{_y(value)}" for turn, value in enumerate(values))
        parts.append(Markup('<polyline class="{}" points="{}"/>').format(kind, points))
        for turn, value in enumerate(values):
            told = f"{name}, turn {turn}: {value:.0f}"
            parts.append(
                Markup('<circle class="{}" cx="{}" cy="{}" r="3.5"><title>{}</title></circle>').format(
                    kind, _x(turn, last), _y(value), told
                )
            )
    for turn, told in sorted(marked.items()):
        x, y = _x(turn, last) - 6, _y(lines[0][2][turn]) - 6
        parts.append(
            Markup('<rect class="kept" x="{}" y="{}" width="12" height="12"><title>{}</title></rect>').format(
                x, y, told
            )
        )
    parts.append(Markup("</svg>"))
    return Markup("").join(parts)


def mind(points: Sequence[Point], turns: Collection[TurnFeedback] = ()) -> Markup:
    """Conviction, openness (times 100) and distress of one session, with a square at each turn at which something was
    kept."""
    kept = {one.number: f"Turn {one.number}: {one.held_back[0].told}" for one in turns if one.held_back}
    return curves(
        (
            ("conviction", "Conviction", [one.conviction for one in points]),
            ("openness", "Openness", [100 * one.openness for one in points]),
            ("distress", "Distress", [one.distress for one in points]),
        ),
        "Conviction, openness and distress over the turns, 0 to 100",
        {turn: told for turn, told in kept.items() if turn < len(points)},
    )


def _x(turn: int, last: int) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * turn / last, 1)


def _y(value: float) -> float:
    return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(100.0, max(0.0, value)) / 100), 1)
