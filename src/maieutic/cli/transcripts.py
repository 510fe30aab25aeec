"""`maieutic score` and `maieutic code`: real transcripts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maieutic.cli.screen import messages, screen

_KEYS = ("session", "speaker", "text", "group", "therapist", "client")
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        help="KEY=NAME: the column that holds the session, speaker, text or group; or the speaker name of the therapist or client. Repeat for more.",
    ),
]


def score(
    paths: Annotated[
        list[Path], typer.Argument(help="CSV, JSONL, ConvoKit, speaker-labelled text, or folders of them.")
    ],
    out: Annotated[Path, typer.Option(help="Run folder to write.")] = Path("runs/score"),
    column: Columns = None,
    codes: Annotated[
        list[Path] | None, typer.Option(help="Use codes from this file, not the packaged coder's; repeat for more.")
    ] = None,
    keep_text: Annotated[bool, typer.Option("--keep-text", help="Also keep what was said in turns.parquet.")] = False,
) -> None:
    """Score real transcripts by measures that need no hidden state, and compare groups.

    \b
    Examples:
      maieutic score sessions.csv --column session=id --column speaker=who --column text=words
      maieutic score transcripts/ --out runs/ours
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from maieutic.scoring.score import score_paths
    from maieutic.scoring.terminal import format_table

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=messages(), transient=True) as progress:
        task = progress.add_task("scoring", total=None)

        def watch(done: int, total: int, name: str) -> None:
            progress.update(task, completed=done, total=total, description=name)

        summary = score_paths(
            paths, out=out, columns=_columns(column), codes=codes, progress=watch, keep_text=keep_text
        )
    screen().print(format_table(summary))


def code(
    path: Annotated[Path, typer.Argument(help="A CSV or Parquet table with one utterance a row.")],
    scheme: Annotated[str, typer.Option(help="annomi or bolt.")],
    out: Annotated[Path, typer.Option(help="CSV or Parquet file to write.")],
    column: Columns = None,
    speaker: Annotated[str | None, typer.Option(help="therapist or client, for a table without speakers.")] = None,
) -> None:
    """Code utterances under a published scheme: every input column, plus `predicted` and `p_<label>`.

    Example: maieutic code sessions.csv --scheme annomi --out coded.csv
    """
    from maieutic.scoring.code_file import code_file

    summary = code_file(path, scheme=scheme, out=out, columns=_columns(column), speaker=speaker)
    screen().print(f"{summary.coded} of {summary.rows} rows coded; written to {out}", highlight=False)


def _columns(pairs: list[str] | None) -> dict[str, str] | None:
    from maieutic.errors import InputError

    if not pairs:
        return None
    found = {}
    for pair in pairs:
        role, equals, name = pair.partition("=")
        if not equals or role not in _KEYS or not name:
            raise InputError(f"--column expects KEY=NAME with KEY one of {', '.join(_KEYS)}, got {pair!r}")
        found[role] = name
    return found
