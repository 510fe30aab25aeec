"""`maieutic report` and `maieutic rescore`: read a run folder again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maieutic.cli.screen import screen

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder written by `maieutic evaluate`.")]


def report(run: RunFolder) -> None:
    """Write RUN/report.html again from what is stored, and print the table; no model is called.

    Example: maieutic report runs/first
    """
    _again(run)


def rescore(run: RunFolder) -> None:
    """Apply this version's measures to a stored run and rewrite its scores and report; no model is called.

    Example: maieutic rescore runs/first
    """
    _again(run)


def _again(run: Path) -> None:
    from maieutic.evaluation.evaluate import rescore as rescore_run
    from maieutic.evaluation.table import print_table

    outcome = rescore_run(run)
    print_table(outcome.summary, screen())
    screen().print(f"\nReport: {run / 'report.html'}", highlight=False)
