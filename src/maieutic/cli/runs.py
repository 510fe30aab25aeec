"""`maieutic report`, `rescore` and `merge`: read a run folder again, or put its parts together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maieutic.cli.options import OwnMeasures
from maieutic.cli.screen import say, screen

RunFolder = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run folder written by `maieutic evaluate` or `maieutic gap`.")
]


def report(run: RunFolder) -> None:
    """Write RUN/report.html again from what is stored, and print the table; no model is called.

    A run that was stopped shows what is there, and says how much that is.

    \b
    Examples:
      maieutic report runs/first
      maieutic report runs/gap-first
    """
    from maieutic.doors import joined
    from maieutic.runs.folder import read_manifest

    show = joined("reports").get(read_manifest(run).get("kind", ""))
    (show.load() if show else _again)(run)


def rescore(run: RunFolder, measure: OwnMeasures = None) -> None:
    """Apply this version's measures to a stored run and rewrite its scores and report; no model is called.

    \b
    Examples:
      maieutic rescore runs/first
      maieutic rescore runs/first --measure my_measures.py:long_turns
    """
    from maieutic.registry import ask_for

    for spec in measure or ():
        ask_for(spec)
    _again(run)


def _again(run: Path) -> None:
    from maieutic.evaluation.evaluate import rescore as rescore_run
    from maieutic.evaluation.table import print_not_again, print_table

    outcome = rescore_run(run)
    print_table(outcome.summary, screen())
    print_not_again(outcome.not_again, screen())
    say(f"\nReport: {run / 'report.html'}")


def merge(
    parts: Annotated[
        list[Path], typer.Argument(metavar="PART…", help="Run folders made with --shard, all of one run.")
    ],
    out: Annotated[Path, typer.Option(help="Run folder to write; it must not hold anything yet.")],
) -> None:
    """Put the parts of a run together that was divided with --shard, whoever played them.

    The files are those of one machine, byte for byte. No model is called, and the parts stay as they are.

    \b
    Examples:
      maieutic merge runs/part-1 runs/part-2 --out runs/whole
      maieutic merge runs/part-* --out runs/whole
    """
    from maieutic.evaluation.merge import merge as merge_runs
    from maieutic.evaluation.table import print_table

    outcome = merge_runs(parts, out)
    print_table(outcome.summary, screen())
    say(f"\nReport: {out / 'report.html'}")
    if outcome.failed:
        raise typer.Exit(3)
