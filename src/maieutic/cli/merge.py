"""`maieutic merge`: the parts of a divided run become one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maieutic.cli.screen import say, screen


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
    from maieutic.evaluation.folder import read_manifest

    kind = read_manifest(parts[0]).get("kind")
    _MERGERS.get(str(kind), _evaluated)(parts, out)


def _evaluated(parts: list[Path], out: Path) -> None:
    from maieutic.evaluation.merge import merge as merge_runs
    from maieutic.evaluation.table import print_table

    outcome = merge_runs(parts, out)
    print_table(outcome.summary, screen())
    say(f"\nReport: {out / 'report.html'}")
    if outcome.failed:
        raise typer.Exit(3)


_MERGERS = {"evaluate": _evaluated}
