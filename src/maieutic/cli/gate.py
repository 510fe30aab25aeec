"""`maieutic gate`: does a run hold what a policy asks? JUnit, Markdown, a release checklist, and exit code 1."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.columns import read_columns
from maieutic.cli.compare import KEYS, Columns
from maieutic.cli.screen import screen

if TYPE_CHECKING:
    from maieutic.gating.verdicts import Judged

BROKEN = 1


def gate(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders of `evaluate`, `gap` or `score`; one of each kind is read as one."),
    ],
    policy: Annotated[
        str,
        typer.Option(help="A YAML file, or a ready policy: assistive, collaborative, autonomous-in-simulation."),
    ],
    therapist: Annotated[
        str | None, typer.Option(help="Whom to judge, where a run has several; no_session is left out.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="Run of `evaluate` that must not be undercut; for non-inferiority rules.")
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option(help="What may be unequal between run and baseline; as in `compare`.")
    ] = None,
    column: Columns = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for junit.xml, gate.md, checklist.md, gate.json. Default: RUN/gate.")
    ] = None,
) -> None:
    """Hold runs against a policy. Exit code 0 only when every rule holds; what was not measured never passes.

    A pass holds in simulation. It is no evidence that a release is safe for people.

    \b
    Examples:
      maieutic gate runs/first --policy assistive --therapist socratic
      maieutic gate runs/first runs/gap-first --policy collaborative --therapist socratic
      maieutic gate runs/new --policy gate.yaml --baseline runs/released
    """
    from maieutic.comparing.sources import read_source
    from maieutic.gap.battery import ORDER
    from maieutic.gating.figures import read_figures
    from maieutic.gating.output import write_gate
    from maieutic.gating.policy import read_policy
    from maieutic.gating.verdicts import Baseline, judge

    chosen = read_policy(policy)
    figures = read_figures(runs, therapist, read_columns(column, KEYS))
    before = Baseline(read_source(baseline), tuple(allow or ())) if baseline else None
    found = judge(chosen, figures, [str(run) for run in runs], ORDER, before)
    folder = out or (runs[0] / "gate" if runs[0].is_dir() else Path("runs/gate"))
    write_gate(found, folder)
    _show(found)
    screen().print(f"\nWritten: {folder}: junit.xml, gate.md, checklist.md, gate.json", highlight=False, soft_wrap=True)
    if not found.passed:
        raise typer.Exit(BROKEN)


def _show(found: Judged) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    from maieutic.gating.output import MARKS, SIMULATED, verdict

    table = Table(box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    for name in ("", "heading", "rule", "found"):
        table.add_column(name, overflow="fold", no_wrap=name in ("", "heading"))
    for one in found.verdicts:
        style = {"passes": "green", "fails": "bold red", "not measured": "yellow"}[one.outcome]
        table.add_row(f"[{style}]{MARKS[one.outcome]}[/]", one.rule.heading, escape(one.rule.id), escape(one.told))
    screen().print(table)
    screen().print(verdict(found), markup=False, highlight=False, style="bold")
    if found.open_headings:
        screen().print(f"Open: no rule for {', '.join(found.open_headings)}.", highlight=False)
    screen().print(SIMULATED, style="dim", highlight=False)
