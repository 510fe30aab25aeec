"""`maieutic compare`: two runs, or two arms, on the same patients; what turned round, what differs, what could be
seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maieutic.cli.options import read_columns
from maieutic.cli.screen import say, screen
from maieutic.errors import InputError

Runs = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN", help="Run folders of `maieutic evaluate`, or people's sessions: transcripts with a case id."
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--column", help="KEY=NAME for transcripts: the column of the case, session, speaker or text."),
]
KEYS = ("case", "session", "speaker", "text", "therapist", "client")


def compare(
    runs: Runs,
    arm: Annotated[
        list[str] | None,
        typer.Option(help="An arm to compare; repeat. Of one run: each against the first. Of several: one each."),
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(help="A measure to test by name (Holm); repeat. Default: four, conviction_change first."),
    ] = None,
    difference: Annotated[
        list[str] | None,
        typer.Option(help="MEASURE=D: the difference worth knowing, for the number of cases; repeat."),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            help="What may be unequal: cases, seeds, run_seed, turns, limit, patient, prompts[.NAME], "
            "versions[.NAME], starts, unfinished."
        ),
    ] = None,
    column: Columns = None,
    out: Annotated[Path, typer.Option(help="Folder for compare.html and compare.json.")] = Path("runs/compare"),
) -> None:
    """Compare arms on the same patients: flips first, paired differences, and the difference that could be seen.

    The first run is what the others are set against. Unequal cases, seeds, patients or prompts are refused and named.
    A file of people's sessions (transcripts with a column `case`, or files of `maieutic chat --session`) is an arm too.

    \b
    Examples:
      maieutic compare runs/before runs/after
      maieutic compare runs/first --arm eliza --arm socratic
      maieutic compare runs/a runs/b --arm socratic --measure evidence_reached
      maieutic compare runs/a runs/b --difference conviction_change=3
      maieutic compare runs/a runs/b --allow prompts.cbt_therapist
      maieutic compare runs/first people.csv --arm socratic --arm people --column case=patient
    """
    from maieutic.comparing.compare import Asked
    from maieutic.comparing.compare import compare as compare_sources
    from maieutic.comparing.output import print_comparison, write_comparison
    from maieutic.comparing.sources import left_out, read_source

    asked = Asked(tuple(arm or ()), tuple(measure or ()), read_differences(difference), tuple(allow or ()))
    columns = read_columns(column, KEYS)
    found = compare_sources([read_source(path, columns) for path in runs], asked)
    write_comparison(found, out)
    print_comparison(found, screen())
    rest = {} if arm else left_out(found.sources, [one.contest for one in found.contests])
    if rest:
        told = "; ".join(f"{', '.join(names)} of {run}" for run, names in rest.items())
        say(f"\nNot compared, no counterpart: {told}. Name them with --arm.")
    say(f"\nPage: {out / 'compare.html'}")


def read_differences(pairs: list[str] | None) -> dict[str, float]:
    """MEASURE=D pairs. Raises `InputError` where D is no number above 0."""
    found = {}
    for pair in pairs or ():
        name, _, text = pair.partition("=")
        try:
            found[name] = float(text)
        except ValueError:
            found[name] = 0.0
        if found[name] <= 0:
            raise InputError(
                f"--difference expects MEASURE=D with D above 0, such as conviction_change=5, got {pair!r}"
            )
    return found
