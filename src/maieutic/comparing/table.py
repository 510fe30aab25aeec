"""Prints a comparison in the terminal: flips first, then what differs and what could have been seen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from maieutic.comparing.compare import Compared, Comparison
from maieutic.comparing.words import MARKS, answer, chance, difference, gap, needed, seen, symbols, value
from maieutic.evaluation.findings import number
from maieutic.runs.terminal import plain_table, put

if TYPE_CHECKING:
    from rich.console import Console

_MOST = 5
NOTES = (
    symbols(),
    "Turned round is counted over all patients, the table over the regular ones. Minds part: from this turn on held "
    "conviction differs by five points.",
    "Difference: second arm minus first, mean over regular cases, Student's 95 % interval over cases. p: Holm over the "
    "named measures; q: false-discovery rate of the others. sees: the smallest true difference that these cases show "
    "with a power of 0.8, 'not reachable' where it would exceed the whole scale; pp: percentage points. cases for d: "
    "how many the difference worth knowing takes, which stands below. Nothing here is validated on humans but plain "
    "counts.",
)


def print_comparison(found: Comparison, console: Console) -> None:
    """The answer, the sessions that turned round, and the rows that differ or were named."""
    for warning in found.warnings:
        put(console, f"warning: {warning}", whole=True, style="yellow")
    for one in found.contests:
        put(console, f"\n{answer(one)}")
        if not one.identical:
            _flips(one, console)
            _rows(one, console)
    console.print()
    for note in NOTES:
        put(console, note, style="dim")


def _flips(one: Compared, console: Console) -> None:
    for flip in one.flips[:_MOST]:
        sides = " → ".join(f"{side.result} ({_gain(side.gain)})" for side in (flip.first, flip.second))
        words = "" if flip.words_part is None else f", words at {flip.words_part}"
        told = f"{flip.case}, seed {flip.seed}: {sides}, minds part at turn {flip.minds_part}{words}"
        put(console, f"  {told}")
    if len(one.flips) > _MOST:
        put(console, f"  … and {len(one.flips) - _MOST} more on the page")


def _gain(points: float) -> str:
    return number(points, "points", signed=True)


def _rows(one: Compared, console: Console) -> None:
    from rich.markup import escape

    shown = [
        row
        for row in one.rows
        if row.group == "regular" and (row.named or row.verdict in ("better", "worse", "higher", "lower"))
    ]
    table = plain_table(close=True)
    table.add_column("measure", overflow="fold")
    for name in ("first", "second", "difference", "", "sees", "cases\nfor d"):
        table.add_column(name, justify="right", no_wrap=name != "difference")
    for row in shown:
        style = {"better": "bold green", "worse": "red"}.get(row.verdict)
        name = f"{MARKS[row.verdict]} {row.entry.label}"
        cells = [value(row, row.difference.first), value(row, row.difference.second), difference(row), chance(row)]
        cells += [seen(row).replace(" ", "\n"), f"{needed(row)}\n{gap(row.wanted, row.entry.unit)}"]
        table.add_row(f"[{style}]{escape(name)}[/]" if style else escape(name), *map(escape, cells))
    console.print(table)
    rest = Counter(row.verdict for row in one.rows if row.group == "regular" and row not in shown)
    told = ", ".join(f"{count} {name}" for name, count in rest.most_common())
    put(console, f"Other measures: {told or 'none'}; the page and the JSON have all.")
