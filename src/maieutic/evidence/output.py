"""What the map leaves behind: one searchable page, Markdown for the documentation, JSON, and its picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maieutic.evidence.atlas import KIND_NAMES, Atlas, commands_of, human_text, made_text, number_text
from maieutic.evidence.entry import FITS, MARKS, VERDICTS, VERIFIED, Entry, Kind, Number, Result
from maieutic.runs.files import write_json, write_whole
from maieutic.runs.shown import environment
from maieutic.safety.handover import DISCLAIMER

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


PAGES: Mapping[Kind, str] = {"claim": "claims.md", "inquiry": "inquiry.md", "ours": "ours.md"}
_ABOUT: Mapping[Kind, str] = {
    "claim": "What the literature claims, in our words: how far each source was checked, what we measure, and "
    "what came out.",
    "inquiry": "Open questions of the field, each with a study that was run here, or the reason why there is none.",
    "ours": "What this project says of itself, with the numbers behind it and what speaks against them.",
}
MADE = "<!-- Made by `maieutic evidence --out docs/evidence`; edit src/maieutic/evidence/data instead. -->"


def write_map(atlas: Atlas, out: Path) -> tuple[Path, ...]:
    """`evidence.html`, `evidence.json` and one Markdown page for each kind of entry. Raises `StorageError`."""
    entries = tuple(atlas.entries.values())
    write_whole(out / "evidence.html", page(atlas, entries).encode())
    write_json(out / "evidence.json", as_json(atlas))
    for kind, name in PAGES.items():
        write_whole(out / name, markdown(atlas, kind).encode())
    return tuple(out / name for name in ("evidence.html", "evidence.json", *PAGES.values()))


def as_json(atlas: Atlas) -> dict[str, Any]:
    """Everything, as data; numbers with the date and the commands of their stored result."""
    return {
        "kind": "evidence",
        "entries": [
            {
                **entry.model_dump(mode="json"),
                "kind": entry.kind,
                "numbers": [
                    {
                        **number.model_dump(mode="json"),
                        "of": atlas.figure(number).label,
                        "unit": atlas.figure(number).unit,
                        "made": atlas.result(number).made,
                        "commands": list(atlas.result(number).commands),
                    }
                    for number in entry.numbers
                ],
            }
            for entry in atlas.entries.values()
        ],
        "papers": [paper.model_dump(mode="json") for paper in atlas.papers.values()],
    }


def page(atlas: Atlas, entries: Sequence[Entry]) -> str:
    """The page as HTML, self-contained."""
    counts = Counter(one.verdict for one in entries)
    shown = picture(atlas, entries)
    return (
        environment(Path(__file__).parent / "pages")
        .get_template("evidence.html.j2")
        .render(
            headline=headline(entries),
            groups=[(KIND_NAMES[k], _ABOUT[k], [_view(atlas, e) for e in entries if e.kind == k]) for k in PAGES],
            verdicts=[(name, MARKS[name], VERDICTS[name], counts[name]) for name in VERDICTS],
            fits=FITS,
            verified=VERIFIED,
            picture=shown,
            columns=COLUMNS,
            disclaimer=DISCLAIMER,
        )
    )


def headline(entries: Sequence[Entry]) -> str:
    """The answer in two sentences."""
    claims = [one for one in entries if one.kind == "claim"]
    inquiry = [one for one in entries if one.kind == "inquiry"]
    counts = Counter(one.verdict for one in claims)
    silent = counts["no number"] + counts["cannot be told"]
    studied = sum(bool(one.numbers) for one in inquiry)
    return (
        f"Of {len(claims)} claims of the literature our numbers agree with {counts['agrees']}, contradict "
        f"{counts['contradicts']} and are mixed on {counts['mixed']}; {counts['no comparison']} cannot be compared, "
        f"and on {silent} we have no number. {studied} of {len(inquiry)} lines of inquiry have a study that was run."
    )


def _view(atlas: Atlas, entry: Entry) -> dict[str, Any]:
    return {
        "entry": entry,
        "mark": MARKS[entry.verdict],
        "sources": [(atlas.papers[found.paper], found, VERIFIED[found.trust]) for found in entry.sources],
        "numbers": [
            (result, [(atlas.figure(n).label, number_text(n, atlas.figure(n))) for n in numbers])
            for result, numbers in _by_result(atlas, entry)
        ],
        "made": made_text,
        "commands": commands_of(entry, atlas),
        "human": human_text(entry),
    }


def _by_result(atlas: Atlas, entry: Entry) -> Iterator[tuple[Result, list[Number]]]:
    """The numbers of an entry under the stored result that they come from, each result once."""
    names = dict.fromkeys(atlas.result(number).name for number in entry.numbers)
    for name in names:
        yield atlas.results[name], [number for number in entry.numbers if atlas.result(number).name == name]


def markdown(atlas: Atlas, kind: Kind) -> str:
    """One page of the documentation."""
    entries = [one for one in atlas.entries.values() if one.kind == kind]
    lines = [f"# {KIND_NAMES[kind]}", "", MADE, "", _ABOUT[kind], ""]
    lines += ["| | entry | what our numbers say | human-validated |", "|---|---|---|---|"]
    lines += [
        f"| [{one.id}](#{one.id.lower()}) | {_cell(one.claim)} | **{one.verdict}** | "
        f"{'yes' if one.human_validated else 'no'} |"
        for one in entries
    ]
    lines += ["", *(f"- **{name}**: {meaning}" for name, meaning in VERDICTS.items()), ""]
    for one in entries:
        lines += [*_section(atlas, one), ""]
    return "\n".join(lines).rstrip() + "\n"


def _section(atlas: Atlas, entry: Entry) -> Iterator[str]:
    yield from (f"## {entry.id}", "", f"**{entry.claim}**", "")
    yield from (f"*{entry.verdict}*: {entry.says}", "")
    for found in entry.sources:
        paper = atlas.papers[found.paper]
        note = f" Read with care: {paper.note}" if paper.note else ""
        yield (
            f"- **Source**: {paper.cite}, {paper.title}; {paper.where}. {found.found} *({VERIFIED[found.trust]})*{note}"
        )
    for one in entry.measures:
        yield f"- **Our measure** ({one.fit}): {one.name}" + (f", {one.note}" if one.note else "")
    for result, numbers in _by_result(atlas, entry):
        note = f" {result.note}" if result.note else ""
        yield f"- **Our {'number' if len(numbers) == 1 else 'numbers'}** ({made_text(result)}).{note}"
        yield from (f"    - {atlas.figure(n).label}: **{number_text(n, atlas.figure(n))}**" for n in numbers)
    if entry.missing:
        yield f"- **{'Not measured' if entry.numbers else 'Why there is no number'}**: {entry.missing}"
    yield f"- **Against it**: {entry.against}"
    yield f"- **{human_text(entry).partition(':')[0].capitalize()}**: {entry.human}"
    commands = commands_of(entry, atlas)
    if commands:
        yield from ("", "```bash", *commands, "```")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
