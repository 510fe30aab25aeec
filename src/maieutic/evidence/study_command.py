"""`maieutic study`: run one of the studies behind the evidence map again, or for the first time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.screen import say, screen, tell
from maieutic.errors import UnknownName
from maieutic.runs.shown import Table

if TYPE_CHECKING:
    from maieutic.evidence.entry import Result, Run


def study(
    name: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]", help="Studies to run. Without one: what there is.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All studies; runs that they share are made once.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the runs and NAME.json.")] = Path("runs/studies"),
) -> None:
    """Run a study of the evidence map: its runs, then the figures, with date, n and interval, as NAME.json.

    Runs that are there already in --out are not made again; a run that was stopped goes on. Patients are simulated.

    \b
    Examples:
      maieutic study
      maieutic study advice_and_belief
      maieutic study advice_and_belief warmth_and_belief --out runs/studies
      maieutic study --all
    """
    from datetime import date

    from maieutic.evidence.atlas import packaged
    from maieutic.evidence.picks import result_of
    from maieutic.runs.files import write_json

    atlas = packaged()
    for one in name or ():
        if one not in atlas.studies:
            raise UnknownName("study", one, atlas.studies)
    chosen = list(atlas.studies) if every else list(dict.fromkeys(name or ()))
    if not chosen:
        _list()
        return
    needed = dict.fromkeys(run for one in chosen for run in atlas.studies[one].runs)
    for run in needed:
        _made(atlas.runs[run], out)
    for one in chosen:
        found = result_of(atlas.studies[one], atlas.runs, out, made=date.today().isoformat())
        write_json(out / f"{one}.json", found.model_dump(mode="json", exclude_defaults=True))
        _show(found)
        say(f"\nWritten: {out / f'{one}.json'}", whole=True)


def _made(run: Run, out: Path) -> None:
    """Makes the run where it is not finished; in a process of its own, so that it is the command that a reader would
    type."""
    import subprocess
    import sys

    from maieutic.evidence.picks import finished

    folder = out / run.folder
    if finished(folder):
        tell(f"{run.name}: there already, {folder}", whole=True)
        return
    going_on = (folder / "manifest.json").exists()
    words = [run.words[0], "--resume", str(folder)] if going_on else [*run.words, "--out", str(folder)]
    tell(f"maieutic {' '.join(words)}", whole=True)
    done = subprocess.run([sys.executable, "-m", "maieutic", *words], check=False)
    if done.returncode:
        raise typer.Exit(done.returncode)


def _show(found: Result) -> None:
    from maieutic.evidence.atlas import figure_text

    say(f"\n{found.title}", style="bold")
    for figure in found.figures.values():
        say(f"  {figure.label}: {figure_text(figure)}")
    if found.note:
        say(found.note, style="dim")


def _list() -> None:
    from maieutic.evidence.atlas import packaged

    atlas = packaged()
    rows = [
        (one.name, ", ".join(one.answers), one.question, f"{sum(atlas.runs[run].seconds for run in one.runs):.0f}")
        for one in atlas.studies.values()
    ]
    screen().print(Table("", ("study", "answers", "question", "CPU s"), rows).on_screen(right=(3,), whole=(0,)))
    say("Run one: maieutic study NAME. Studies that share a run pay for it once.")
