"""The picture of the map: claims, their papers, our measures and what our numbers say, joined by lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from maieutic.evidence.atlas import Atlas
from maieutic.evidence.entry import VERDICTS, Entry

COLUMNS = ("claims", "papers", "measures", "our numbers")
NO_PAPER, NO_MEASURE = "no paper", "nothing measured"
WIDTH, STEP, TOP = 1140, 15, 34
_PLACES = ((6, 44), (230, 440), (610, 860), (1010, 1134))
"""Left and right edge of each column; labels stand between them."""


@dataclass(frozen=True, slots=True)
class Node:
    """One word of a column.

    Attributes:
        column: 0 to 3. key: What it stands for. label: What is shown. x, y: Where; `width` as wide as the column.
        entries: Ids of the entries that go through it.
    """

    column: int
    key: str
    label: str
    x: float
    y: float
    width: float
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A line from one node to one of the next column, for one entry."""

    entry: str
    verdict: str
    path: str


@dataclass(frozen=True, slots=True)
class Picture:
    """All nodes and lines, and how high the picture is."""

    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    width: int
    height: int


def picture(atlas: Atlas, entries: Sequence[Entry]) -> Picture:
    """Lay the map out: entries in the order given, papers and measures by the mean place of their entries."""
    ways = {one.id: _way(atlas, one) for one in entries}
    place = {one.id: float(number) for number, one in enumerate(entries)}
    height = TOP + STEP * (len(entries) + 1)
    nodes: dict[tuple[int, str], Node] = {}
    for column in range(4):
        members: dict[str, list[str]] = {}
        for id_, way in ways.items():
            for key in way[column]:
                members.setdefault(key, []).append(id_)
        if column == 3:
            order: list[str] = [name for name in VERDICTS if name in members]
        else:
            order = sorted(members, key=lambda key: sum(place[id_] for id_ in members[key]) / len(members[key]))
        left, right = _PLACES[column]
        gap = (height - TOP) / max(len(order), 1)
        for number, key in enumerate(order):
            y = TOP + gap * (number + 0.5)
            nodes[column, key] = Node(
                column, key, _label(atlas, column, key), left, round(y, 1), right - left, tuple(members[key])
            )
    links = [
        Link(id_, next(iter(way[3])), _curve(nodes[column, a], nodes[column + 1, b]))
        for id_, way in ways.items()
        for column in range(3)
        for a in way[column]
        for b in way[column + 1]
    ]
    return Picture(tuple(nodes.values()), tuple(links), WIDTH, height + 8)


def _way(atlas: Atlas, entry: Entry) -> tuple[tuple[str, ...], ...]:
    """What an entry goes through in each column."""
    papers = tuple(dict.fromkeys(found.paper for found in entry.sources)) or (NO_PAPER,)
    measures = tuple(dict.fromkeys(_short(one.name) for one in entry.measures)) or (NO_MEASURE,)
    return (entry.id,), papers, measures, (entry.verdict,)


def _short(measure: str) -> str:
    """A measure without what is said of it in brackets."""
    return measure.partition(" (")[0]


def _label(atlas: Atlas, column: int, key: str) -> str:
    return atlas.papers[key].cite if column == 1 and key in atlas.papers else key


def _curve(first: Node, second: Node) -> str:
    start, end = first.x + first.width, second.x
    middle = (start + end) / 2
    return f"M{start:.0f} {first.y:.0f}C{middle:.0f} {first.y:.0f} {middle:.0f} {second.y:.0f} {end:.0f} {second.y:.0f}"
