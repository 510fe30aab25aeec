"""`maieutic validate judge`: where does a model read better than the embedded readers, and may take their place?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.options import checked_model
from maieutic.cli.screen import say, screen, tell, watched
from maieutic.errors import StorageError, why
from maieutic.runs.folder import refuse_file
from maieutic.runs.work import stoppable

if TYPE_CHECKING:
    from maieutic.protocols import LanguageModel
    from maieutic.validation.judge.run import How
    from maieutic.validation.judge.sets import LabelledSet


def judge(
    judge: Annotated[str, typer.Option(help="The model to measure, such as embedded or http://…#model.")],
    data: Annotated[
        Path | None, typer.Option(help="Folder of research data (bolt/, epitome/, mrbench/ …): adds those sets.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--set", help="Only this set; repeat for more. Default: all that can be had.")
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Answers for each item, counted together.")] = 3,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="Items of a set at most, spread over it. Default: 300 of a research set, all own replies."
        ),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Calls at once.")] = 8,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Stop, resumable, after this many new calls.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost, and stop.")] = False,
    out: Annotated[Path, typer.Option(help="Where answers.jsonl, admitted.json and report.html go.")] = Path(
        "validation/judge"
    ),
) -> None:
    """Measure a language model as a reader on labelled sets, and admit it where it is surely better than the embedded
    one.

    Every item is one request that asks several questions and wants a quote. Answers are kept in --out: the same command
    goes on after a stop. `gap`, `score` and `evaluate` take admitted.json with --judge and --admitted. The words of
    --data go to the server that the model names.

    \b
    Examples:
      maieutic validate judge --judge embedded --set own --samples 1
      maieutic validate judge --judge http://localhost:8000/v1#my-model --dry-run
      maieutic validate judge --judge http://localhost:8000/v1#my-model --data ../shared/data --out validation/my-model
      maieutic gap --therapist socratic --judge http://localhost:8000/v1#my-model --admitted validation/my-model/admitted.json
    """  # noqa: E501
    from maieutic.validation.judge.run import RESEARCH, How, labelled_sets

    refuse_file(out)
    how = How(samples, max_calls, concurrency)
    model = checked_model(judge)
    tell("reading the sets with the embedded readers")
    sets = [one.spread(limit or (None if one.id == "own" else RESEARCH)) for one in labelled_sets(only or (), data)]
    _tell_cost(model, sets, how, out)
    if not dry_run:
        _measure(model, sets, how, out)


def _tell_cost(model: LanguageModel, sets: list[LabelledSet], how: How, out: Path) -> None:
    from maieutic.validation.judge.run import estimates

    for name, found in estimates(model, sets, how, out / "answers.jsonl").items():
        tell(f"{name}: {found}", whole=True)


def _measure(model: LanguageModel, sets: list[LabelledSet], how: How, out: Path) -> None:
    import asyncio

    from maieutic.validation.judge.run import RULE, admission, cost, measure, table, write_report

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"--out {out} cannot be made: {why(error)}") from error
    kept = f". The answers are kept in {out}; the same command goes on from there"
    with stoppable(lambda: kept), watched("answers") as watch:
        lines, asked = asyncio.run(measure(model, sets, how, out / "answers.jsonl", watch))
    write_report(admission(model.name, how, sets, lines, asked), lines, sets, out)
    screen().print(table(lines, narrow=screen().width < 100))
    admitted = [line.reader.id for line in lines if line.admitted]
    say(f"{model.name}: admitted for {', '.join(admitted) if admitted else 'no reader'} of {len(lines)}.")
    say(cost(asked))
    say(RULE)
    say(f"\nReport: {out / 'report.html'}; for --admitted: {out / 'admitted.json'}")
