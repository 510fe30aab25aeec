"""Prints the arms of a run in the terminal: effect with its interval, what each arm did, and what the numbers mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from maieutic.evaluation.findings import (
    Figure,
    cautions,
    figure,
    headline,
    no_interval,
    number,
    plural,
    ranked,
    verdict,
)
from maieutic.evaluation.lines import BY_ID, CRITERIA, NOT_ASKED, NOT_SHOWN, NOT_TOLD, NOT_TRIED, Line
from maieutic.evaluation.summary import EFFECT, PRIMARY, REFERENCE, Arm, Difference, Row, Summary
from maieutic.runs.shown import plain_table, put
from maieutic.stats import MIN_CASES

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 124
_LEAST = 16
_FIXED = 34
"""Columns of the terminal that effect, n and fail take, with what stands between them."""
_MAX_PAIRS = 6
_COLUMNS = (
    ("fall", "fall", PRIMARY, "points"),
    ("facts\n%", "facts voiced", "evidence_reached", "share"),
    ("own\n%", "by patient", "evidence_by_patient", "share"),
    ("open\n%", "open questions", "open_among_asking_turns", "share"),
    ("early\n%", "advice early", "advice_before_exploration", "share"),
)
_NOTE = (
    "arm: a therapist in the comparison. effect: points (0-100) that held conviction (the patient's own belief in the "
    "thought) fell beyond no session. facts: against the thought, voiced; own: not told to them; open: open questions; "
    f"early: advice before thought and feeling were told; n: cases; n < {MIN_CASES}: too few cases for an interval, "
    "and a figure in brackets rests on as few. fall: points that it fell in all; fail: dialogues that broke off. Not "
    "validated on humans."
)


def print_table(summary: Summary, console: Console) -> None:
    """One line an arm, by falling effect, then what each verdict rests on, then differences between the arms.

    Below 124 columns only the effect shows its interval; columns give way to a long name before the name is broken.
    """

    wide = console.width >= _WIDE
    shown = _fitting(summary, console.width, wide=wide)
    table = plain_table(close=True)
    table.add_column("arm", overflow="fold", min_width=_LEAST)
    table.add_column("effect", justify="right", no_wrap=True)
    for short, title, _, _ in shown:
        table.add_column(title if wide else short, justify="right", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    table.add_column("fail", justify="right", no_wrap=True)
    for arm in ranked(summary):
        table.add_row(*_cells(summary, arm, shown, wide=wide))
    console.print(table)
    if summary.lines:
        _print_lines(summary, console, wide=wide)
    if summary.differences:
        _print_differences(summary, console)
    put(console, f"\n{headline(summary)}")
    for told in cautions(summary):
        put(console, told)
    if any(arm.privileged for arm in summary.arms):
        put(console, "* privileged: sees the case and the hidden state; a ceiling, no competitor.", style="dim")
    if any(arm.people for arm in summary.arms):
        put(console, "(people): said by trainees in practice, on the same patients; session by session.", style="dim")
    for cleaned in summary.cleaned:
        put(console, f"Made plain before it was read: {cleaned}.")
    for note in (*_special(summary), _NOTE):
        put(console, note, style="dim")


def print_not_again(measures: Sequence[str], console: Console) -> None:
    """Which measures an earlier result had that this one lacks, and how they come back."""
    if measures:
        told = f"No longer in the scores, since not named again: {', '.join(measures)} (--measure)."
        put(console, told)


def _fitting(summary: Summary, width: int, *, wide: bool) -> tuple[tuple[str, str, str, str], ...]:
    """As many columns as leave the longest name whole, the first ones first."""
    name = max((len(arm.therapist) + 2 for arm in summary.arms), default=0)
    left = width - min(name, width // 2) - _FIXED
    shown: list[tuple[str, str, str, str]] = []
    for column in _COLUMNS:
        left -= 20 if wide else max(map(len, column[0].split("\n"))) + 2
        if left < 0:
            break
        shown.append(column)
    return tuple(shown)


def _print_lines(summary: Summary, console: Console, *, wide: bool) -> None:
    """What each verdict rests on: yes, no, left open, or no answer; why there is none stands in the tables."""
    from rich.markup import escape

    table = plain_table(close=True)
    table.add_column("verdict rests on", overflow="fold", min_width=_LEAST)
    for one in CRITERIA:
        table.add_column(one.short, no_wrap=True)
    for arm in ranked(summary):
        lines = summary.lines.get(arm.therapist, ())
        if lines:
            table.add_row(escape(arm.therapist), *(_line(line, wide=wide) for line in lines))
    console.print()
    console.print(table)
    put(
        console,
        "yes, no: the whole interval says so, with few cases the estimate; open: these cases leave it open; untried: "
        "it did nothing by which it could fail; -: no answer in this run, tables/lines.csv says why. beyond active: "
        "moves belief further than the best of the arms that talk by a plan. Timing counts advice and challenges.",
        style="dim",
    )


_WORDS = {
    "holds": "[green]yes[/]",
    "fails": "[red]no[/]",
    NOT_SHOWN: "open",
    NOT_TOLD: "-",
    NOT_TRIED: "untried",
    NOT_ASKED: "-",
}


def _line(line: Line, *, wide: bool) -> str:
    word = _WORDS[line.says]
    if not wide or line.interval.estimate is None:
        return word
    return f"{word} {number(line.interval.estimate, BY_ID[line.id].unit, signed=line.id != 'timing')}"


def _print_differences(summary: Summary, console: Console) -> None:
    """Arm minus arm; with many arms only those of the best one, the rest being in the tables."""
    from rich.markup import escape

    best = ranked(summary)[0].therapist
    few = len(summary.differences) <= _MAX_PAIRS
    shown = [one for one in summary.differences if few or best in (one.first, one.second)]
    table = plain_table(close=True)
    table.add_column("arm minus arm", overflow="fold")
    table.add_column("points [95 %]", justify="right", no_wrap=True)
    table.add_column("n", justify="right")
    for one in shown:
        pair = f"{one.first} − {one.second}"
        table.add_row(escape(pair), escape(_points(one)), str(one.interval.n))
    console.print()
    console.print(table)
    if not few:
        rest = len(summary.differences) - len(shown)
        put(console, f"{rest} more pairs stand in tables/differences.csv and in the report.", style="dim")


def _points(one: Difference) -> str:
    row = Row(EFFECT, one.first, "regular", one.interval, one.episodes, {})
    return _text(figure(row, "points", signed=True), wide=True)


def _cells(summary: Summary, arm: Arm, columns: Sequence[tuple[str, str, str, str]], *, wide: bool) -> list[str]:
    from rich.markup import escape

    row = summary.row(EFFECT, arm.therapist)
    change = summary.row(PRIMARY, arm.therapist)
    cases = row.interval.n if row else change.interval.n if change else 0
    effect = "reference" if arm.therapist == REFERENCE else _text(figure(row, "points", signed=True), wide=True)
    style = {"conducts": "bold green", "backfires": "red"}.get(verdict(summary, arm.therapist))
    others = [
        _text(figure(summary.row(name, arm.therapist), unit), wide=wide, weak=cases >= MIN_CASES)
        for *_, name, unit in columns
    ]
    shown = [escape(effect), *map(escape, others), str(cases), str(arm.failed)]
    if style is not None:
        shown[0] = f"[{style}]{shown[0]}[/]"
    return [escape(arm.therapist) + (" *" if arm.privileged else "") + (" (people)" if arm.people else ""), *shown]


def _text(found: Figure, *, wide: bool, weak: bool = False) -> str:
    """A figure; one of fewer cases than bear an interval stands in brackets where its arm has enough of them
    (`weak`)."""
    if found.missing or (weak and found.bounds == no_interval(1)):  # of one case alone it says nothing
        return "-"
    bears = found.bounds.startswith("[")
    if wide:
        return f"{found.value} {found.bounds if bears else f'[n < {MIN_CASES}]'}".strip()
    value = found.value.removesuffix(" %")
    return f"({value})" if weak and not bears else value


def _special(summary: Summary) -> tuple[str, ...]:
    names = {"accurate": "accurate-thought", "risk": "risk"}
    found = {row.group: row.interval.n for row in summary.rows if row.measure == PRIMARY and row.group in names}
    if not found:
        return ()
    listed = " and ".join(plural(count, f"{names[group]} case") for group, count in sorted(found.items()))
    return (f"Not in these means, reported apart in the report: {listed}.",)
