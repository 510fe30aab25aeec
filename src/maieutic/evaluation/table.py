"""Prints the arms of a run in the terminal: effect with its interval, what each arm did, and what the numbers mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maieutic.evaluation.findings import Figure, figure, headline, plural, ranked, verdict
from maieutic.evaluation.summary import EFFECT, PRIMARY, REFERENCE, Arm, Summary

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 124
_COLUMNS = (
    ("fall", "fall", PRIMARY, "points"),
    ("facts\n%", "facts voiced", "evidence_reached", "share"),
    ("own\n%", "by patient", "evidence_by_patient", "share"),
    ("open\n%", "open questions", "open_question_share", "share"),
    ("early\n%", "advice early", "advice_before_exploration", "share"),
)
_NOTES = (
    "effect: points (0-100) by which held conviction fell beyond no session, 95 % interval over cases. facts: share of the "
    "facts against the thought that the patient voiced; own: not told by the therapist; open: open among questions; early: "
    "advice before exploring; n: regular cases; -: missing, the report says why.",
    "The figures are not human-validated; that belief changes only through self-produced evidence is this model's assumption.",
)


def print_table(summary: Summary, console: Console) -> None:
    """One line an arm, by falling effect; below 124 columns only the effect shows its interval."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    wide = console.width >= _WIDE
    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False, collapse_padding=True)
    table.add_column("arm", overflow="fold")
    table.add_column("effect", justify="right", no_wrap=True)
    for short, title, _, _ in _COLUMNS:
        table.add_column(title if wide else short, justify="right", no_wrap=True)
    table.add_column("n", justify="right")
    table.add_column("fail", justify="right")
    for arm in ranked(summary):
        table.add_row(*_cells(summary, arm, wide=wide))
    console.print(table)
    console.print(f"\n{headline(summary)}", markup=False, highlight=False)
    if any(arm.privileged for arm in summary.arms):
        console.print("* privileged: is given the case and the hidden state; a ceiling, not a competitor.", style="dim")
    for cleaned in summary.cleaned:
        console.print(f"Made plain before it was read: {cleaned}.", markup=False, highlight=False)
    for note in (*_special(summary), *_NOTES):
        console.print(note, style="dim", markup=False, highlight=False)


def _cells(summary: Summary, arm: Arm, *, wide: bool) -> list[str]:
    from rich.markup import escape

    row = summary.row(EFFECT, arm.therapist)
    change = summary.row(PRIMARY, arm.therapist)
    cases = row.interval.n if row else change.interval.n if change else 0
    effect = "reference" if arm.therapist == REFERENCE else _text(figure(row, "points", signed=True), wide=True)
    style = {"conducts": "bold green", "backfires": "red"}.get(verdict(summary, arm.therapist))
    others = [_text(figure(summary.row(name, arm.therapist), unit), wide=wide) for *_, name, unit in _COLUMNS]
    shown = [escape(effect), *map(escape, others), str(cases), str(arm.failed)]
    if style is not None:
        shown[0] = f"[{style}]{shown[0]}[/]"
    return [escape(arm.therapist) + (" *" if arm.privileged else ""), *shown]


def _text(found: Figure, *, wide: bool) -> str:
    if found.missing:
        return "-"
    interval = found.bounds if found.bounds.startswith("[") else ""
    return f"{found.value} {interval}".strip() if wide else found.value.removesuffix(" %")


def _special(summary: Summary) -> tuple[str, ...]:
    names = {"accurate": "accurate-thought", "risk": "risk"}
    found = {row.group: row.interval.n for row in summary.rows if row.measure == PRIMARY and row.group in names}
    if not found:
        return ()
    listed = " and ".join(plural(count, f"{names[group]} case") for group, count in sorted(found.items()))
    return (f"Not in these means, reported apart in the report: {listed}.",)
