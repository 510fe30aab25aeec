"""`maieutic evidence`: walk the evidence map on the terminal, write its pages, check its numbers and commands;
`maieutic study`: run one of the studies behind it again, or for the first time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.screen import say, screen, tell
from maieutic.errors import InputError, UnknownName
from maieutic.runs.shown import Table, plain_table

if TYPE_CHECKING:
    from maieutic.evidence.atlas import Atlas
    from maieutic.evidence.entry import Entry, Result, Run

BROKEN = 1


def evidence(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORDS]", help="An id such as C14, or words that an entry must hold. Default: all."),
    ] = None,
    verdict: Annotated[
        str | None,
        typer.Option(
            "--says", help="Only these: agrees, contradicts, mixed, no comparison, no number, cannot be told."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for evidence.html, evidence.json and the Markdown pages.")
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Hold every number against its stored result; exit code 1 where one drifted."),
    ] = False,
) -> None:
    """Claims of the literature, lines of inquiry and claims of ours: source, measure, number, and what speaks against
    it.

    \b
    Examples:
      maieutic evidence
      maieutic evidence C14
      maieutic evidence empathy single
      maieutic evidence --says contradicts
      maieutic evidence --out docs/evidence
      maieutic evidence --check
    """
    from maieutic.evidence.atlas import packaged
    from maieutic.evidence.output import headline, write_map

    atlas = packaged()
    if check:
        if words:
            raise InputError("--check holds all entries against their results; leave the words out")
        _check(atlas)
        return
    asked = " ".join(words or ())
    found = atlas.search(asked)
    if verdict is not None:
        kept = atlas.chosen(verdict)
        found = tuple(one for one in found if one in kept)
    if not found:
        raise InputError(f"no entry holds {asked!r}; try fewer words, or `maieutic evidence` for all of them")
    if out is not None:
        written = write_map(atlas, out)
        say(f"Written: {', '.join(str(path) for path in written)}", whole=True)
        return
    if len(found) == 1:
        _one(atlas, found[0])
        return
    _table(found)
    say(headline(tuple(atlas.entries.values())))
    say("One entry in full: maieutic evidence C14. As a page: maieutic evidence --out FOLDER.", style="dim")


def _table(entries: Sequence[Entry]) -> None:
    from rich.markup import escape

    from maieutic.evidence.entry import MARKS

    table = plain_table()
    table.add_column("", no_wrap=True)
    table.add_column("entry")
    table.add_column("our numbers", min_width=16)
    for one in entries:
        table.add_row(one.id, escape(one.claim), f"[{COLOURS[one.verdict]}]{MARKS[one.verdict]} {one.verdict}[/]")
    screen().print(table)


COLOURS = {
    "agrees": "green",
    "contradicts": "bold red",
    "mixed": "yellow",
    "no comparison": "cyan",
    "no number": "dim",
    "cannot be told": "dim",
}


def _one(atlas: Atlas, entry: Entry) -> None:
    """One entry in full."""
    from rich.padding import Padding
    from rich.text import Text

    from maieutic.evidence.atlas import commands_of, human_text, made_text, number_text
    from maieutic.evidence.entry import MARKS, VERIFIED

    def line(head: str, text: str) -> None:
        screen().print(Padding(Text.assemble((f"{head} ", "bold"), text), (0, 0, 0, 2)))

    screen().print(Text.assemble((f"{entry.id}  ", "bold"), entry.claim))
    screen().print(Text(f"{MARKS[entry.verdict]} {entry.verdict}: {entry.says}", COLOURS[entry.verdict]))
    for found in entry.sources:
        paper = atlas.papers[found.paper]
        line("source", f"{paper.cite}, {paper.where}. {found.found} ({VERIFIED[found.trust]})")
        if paper.note:
            line("  care", paper.note)
    for one in entry.measures:
        line(f"measure ({one.fit})", one.name + (f": {one.note}" if one.note else ""))
    for number in entry.numbers:
        figure = atlas.figure(number)
        line("number", f"{figure.label}: {number_text(number, figure)}  [{made_text(atlas.result(number))}]")
    if entry.missing:
        line("not measured" if entry.numbers else "no number", entry.missing)
    line("against", entry.against)
    line("people", human_text(entry))
    for command in commands_of(entry, atlas):
        line("$", command)


def _check(atlas: Atlas) -> None:
    from maieutic.evidence.atlas import drifted

    faults = [*drifted(atlas), *unknown_commands(atlas)]
    for fault in faults:
        say(fault, whole=True)
    if faults:
        raise typer.Exit(BROKEN)
    numbers = sum(len(one.numbers) for one in atlas.entries.values())
    say(f"{numbers} numbers of {len(atlas.entries)} entries equal their stored results, and their commands exist.")


def unknown_commands(atlas: Atlas) -> Iterator[str]:
    """Commands of stored results and runs that the command line does not know, with the word that it does not."""
    typed = [(f"results/{one.name}.json", command) for one in atlas.results.values() for command in one.commands]
    typed += [(f"run {run.name}", f"maieutic {run.command}") for run in atlas.runs.values()]
    for where, command in typed:
        fault = unknown_in(command)
        if fault:
            yield f"{where}: {command!r}: {fault}"


def unknown_in(command: str) -> str:
    """What the command line does not know in a command; '' where it knows all, and for commands that are not ours."""
    import shlex

    from typer.core import TyperGroup

    from maieutic.cli.main import command_line
    from maieutic.evidence.atlas import packaged

    words = shlex.split(command)
    if words[0] != "maieutic":
        return ""
    rest = words[1:]
    place = command_line()
    while isinstance(place, TyperGroup):
        if not rest or rest[0] not in place.commands:
            return f"no command {' '.join(rest[:1]) or 'given'!r}"
        place, rest = place.commands[rest[0]], rest[1:]
    known = {name for one in place.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
    unknown = [word for word in rest if word.startswith("--") and word.partition("=")[0] not in known]
    if unknown:
        return f"no option {unknown[0]}"
    if words[1] == "study" and rest and rest[0] not in packaged().studies:
        return f"no study {rest[0]!r}"
    return ""


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
