"""`maieutic patients`: list, show and check cases (importing them is a wing's); `maieutic measures`: every measure in a
line, or one in full."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.joined import joined_group
from maieutic.cli.screen import say, screen, tell
from maieutic.errors import InvalidCase, UnknownName, UnreadableFile

if TYPE_CHECKING:
    from maieutic.domain.case import Case


app = typer.Typer(
    cls=joined_group("patients", ("list", "show", "check", "import")),
    no_args_is_help=True,
    help="List, show, check and import simulated patients.",
    rich_markup_mode=None,
)


_WORDS = (
    "held: held conviction, how firmly the thought is believed (0-100), which no therapist sees; warranted: what the "
    "facts warrant; guard: how open (0-1) the patient must be to tell a fact when asked; weight: how much it bears on "
    "the thought."
)


@app.command("list")
def list_cases(
    split: Annotated[str, typer.Option(help="starter, dev, test or all.")] = "all",
) -> None:
    """List the packaged cases.

    Example: maieutic patients list --split dev
    """
    from maieutic.library import SPLITS, select_cases
    from maieutic.runs.shown import Table

    if split not in SPLITS:
        raise UnknownName("split", split, SPLITS)
    rows = [
        (
            case.id,
            f"{case.person.name}, {case.person.age}",
            ", ".join(b.category for b in case.core_beliefs),
            case.style,
            case.severity,
            ", ".join(case.groups).replace("_", " "),
            case.split,
        )
        for case in select_cases((split,))
    ]
    columns = ("id", "who", "core belief", "style", "severity", "group", "split")
    screen().print(Table("", columns, rows).on_screen(whole=(0,)))


@app.command("show")
def show_case(case: Annotated[str, typer.Argument(help="A case id or a YAML file.")]) -> None:
    """Show a case: life, beliefs, situations, and the facts for and against each thought.

    Example: maieutic patients show nurse-in-charge
    """
    from rich.markup import escape

    from maieutic.library import get_case
    from maieutic.runs.shown import Table

    found = get_case(case)
    person = found.person
    screen().print(
        f"[bold]{escape(person.name)}[/bold], {person.age}, {escape(person.gender)}; "
        f"{escape(person.work)}; {escape(person.household)}"
    )
    screen().print(f"{escape(found.problem)} ({found.severity}, {found.style})\n\n{escape(found.history)}\n")
    for belief in found.core_beliefs:
        screen().print(f"Core belief ({belief.type}, {belief.category}): {escape(belief.statement)}")
    for name in ("attitudes", "rules", "assumptions"):
        for text in getattr(found.intermediate_beliefs, name):
            screen().print(f"{name.capitalize()[:-1]}: {escape(text)}")
    if found.risk.level != "none":
        screen().print(f"Risk: {found.risk.level}, {found.risk.kind}, disclosed: {found.risk.disclosure}")
    for situation in found.situations:
        screen().print(f"\n[bold]{situation.id}[/bold]: {escape(situation.happened)}")
        screen().print(
            f"Thought ({situation.conviction:g} held, {situation.warranted:g} warranted): "
            f"{escape(situation.automatic_thought)}"
        )
        screen().print("Feelings: " + ", ".join(f"{e.group} {e.intensity:g}" for e in situation.emotions))
        rows = [
            (fact.id, fact.bearing, f"{fact.guard:g}", f"{fact.weight:g}", fact.fact) for fact in situation.evidence
        ]
        screen().print(Table("", ("fact", "bearing", "guard", "weight", "what it is"), rows).on_screen())
        screen().print(f"Balanced thought: {escape(situation.balanced_thought)}")
    say(f"\n{_WORDS}", style="dim")


@app.command("check")
def check_cases(paths: Annotated[list[Path], typer.Argument(help="YAML files or folders.")]) -> None:
    """Check case files, and the memory beside each (memory/CASE.yaml), against the schema; shows gaps in coverage.

    Example: maieutic patients check my_cases/
    """
    from maieutic.library import read_cases

    files = [f for path in paths for f in (sorted(path.glob("*.yaml")) if path.is_dir() else [path])]
    if not files:
        raise UnreadableFile(f"no .yaml file in {', '.join(map(str, paths))}")
    wrong = 0
    for file in files:
        try:
            for case in read_cases(file):
                say(f"{file.name}: good, case {case.id}")
                wrong += _memory_is_wrong(case)
        except InvalidCase as error:
            wrong += 1
            problems = error.problems or (str(error),)
            told = f"{file.name}: {len(problems)} problem{'s' if len(problems) > 1 else ''}"
            for line in (told, *(f"  {problem}" for problem in problems)):
                tell(line, whole=True)
    if wrong:
        raise typer.Exit(2)


def _memory_is_wrong(case: Case) -> bool:
    """Print what the memory of a case lacks; True where something in it is wrong. No memory is no fault."""
    from maieutic.domain.coverage import faults
    from maieutic.minimal_pairs.pair import Twin

    if case.memory is None:
        return False
    # A pair's memory is a quarter of a case's, and what it must hold is checked as the pair is read.
    found = [one for one in faults(case, case.memory) if one[0] == "wrong" or not isinstance(case, Twin)]
    wrong = any(severity == "wrong" for severity, _ in found)
    say(f"  memory: {'not usable' if wrong else 'good'}, {len(case.memory.units)} units")
    for severity, text in found:
        (tell if severity == "wrong" else say)(f"  {severity}: {text}", whole=True)
    return wrong


def measures(
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="A measure, to read its whole definition.")] = None,
) -> None:
    """List the measures with what each says, or print the whole definition of one.

    \b
    Examples:
      maieutic measures
      maieutic measures reflection_rate
    """
    from maieutic.measures.catalogue import listed, told

    if id is not None:
        say(told(id), whole=True)
        return
    for group, members in groupby(listed(), key=lambda row: row[0]):
        say(f"\n{group}", whole=True)
        for _, name, meaning in members:
            say(f"  {name}: {meaning}", whole=True)
