"""`maieutic validate gap` and `maieutic validate retest`: can the battery be believed, and is it steady?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maieutic.cli.screen import screen, tell, tell_page, watched


def gap(
    quick: Annotated[
        bool, typer.Option("--quick", help="Full strength and one implementation of each failure only.")
    ] = False,
    family: Annotated[list[str] | None, typer.Option(help="Only this family; repeat for more. Default: all.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the battery.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    out: Annotated[Path, typer.Option(help="Where cells.jsonl, report.html and findings.json go.")] = Path(
        "validation/gap"
    ),
) -> None:
    """Run the battery on therapists constructed to fail, and print what each family says of each.

    What is expected of every cell was written before any family was run (docs/gap/known_groups.md). Exit code 1 when
    the hit rate or the false flags break their bound.

    \b
    Examples:
      maieutic validate gap --quick
      maieutic validate gap --family safety --family lost --out validation/two-families
      maieutic validate gap --resume
    """

    from maieutic.gap.known_groups import page, run_all, table, tasks
    from maieutic.runs.shown import Table

    work = tasks(quick=quick, families=family or (), seed=seed)
    tell(f"{len(work)} constructed therapists; writing to {out}")
    with watched("therapists") as tick:
        cells = run_all(work, out, resume=resume, tick=tick)
    head, *rows = table(cells, severities=False)
    title = "Full strength, implementation a (X flagged, . not, ? not known, ! unexpected); severities in the report"
    columns = [str(number) if number else name for number, name in enumerate(head)]
    screen().print(Table(title, columns, rows).on_screen(whole=range(len(columns)), close=True))
    screen().print(", ".join(f"{number} {name}" for number, name in enumerate(head[1:], 1)), highlight=False)
    tell_page(page(cells), out, quick=quick)


def retest(
    quick: Annotated[
        bool, typer.Option("--quick", help="Three therapists and a tenth of the items, to see that it runs.")
    ] = False,
    therapist: Annotated[
        list[str] | None, typer.Option(help="One more therapist, NAME[:MODEL] or path.py:make; repeat for more.")
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option(
            help="A finished `maieutic gap` folder of seed 0 or 1 to count in, such as a model's; repeat for more."
        ),
    ] = None,
    family: Annotated[list[str] | None, typer.Option(help="Only this family; repeat for more. Default: all.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    out: Annotated[
        Path, typer.Option(help="Where readings.jsonl, report.html, findings.json and retest.json go.")
    ] = Path("validation/retest"),
) -> None:
    """Run the battery on ten built-in and five constructed therapists under two seeds: how far do its values move by
    themselves?

    Prints the standard error of three named therapists and the intraclass correlation over all. A quarter of an hour or
    less on 2 cores. Exit code 1 when a standard error breaks its bound. retest.json holds the minimal detectable
    changes that `maieutic gap` shows beside its values.

    \b
    Examples:
      maieutic validate retest --quick
      maieutic validate retest --resume
      maieutic validate retest --therapist prompted:embedded --out validation/with-a-model
      maieutic validate retest --resume --run runs/model-seed-0 --run runs/model-seed-1
    """
    from maieutic.gap.retest import SEEDS, finished, kept, page, retests, run_all, tasks
    from maieutic.runs.files import write_json

    work = tasks(therapist or (), quick=quick, families=family or ())
    extent = work[0].extent.name
    told = (reading for folder in run or () for reading in finished(folder, work[0].extent))
    counted = [reading for reading in told if reading.family in work[0].families]
    tell(f"{len(work)} batteries; writing to {out}")
    with watched("batteries") as tick:
        seen = (*run_all(work, out, resume=resume, tick=tick), *counted)
    names = list(dict.fromkeys(one.therapist for one in seen))
    write_json(out / "retest.json", kept(retests(seen, SEEDS), therapists=names, extent=extent))
    tell_page(page(seen, extent), out, quick=quick)
