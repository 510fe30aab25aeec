"""`maieutic validate tracker`: is the mind tracked?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.options import check_split, checked_model
from maieutic.cli.screen import counted, tell, tell_page
from maieutic.runs.folder import refuse_file

if TYPE_CHECKING:
    from maieutic.validation.tracking.direct_evidence import DirectEvidence


def tracker(
    quick: Annotated[bool, typer.Option("--quick", help="Four cases, one seed, two worlds; for CI.")] = False,
    split: Annotated[str, typer.Option(help="dev or test.")] = "test",
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds of every case and therapist. Default: 2.")] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder that has cbt_bench: adds core beliefs that experts labelled.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="A model to ask directly about some sessions, such as embedded or http://…#model."),
    ] = None,
    model_sessions: Annotated[
        int, typer.Option(min=1, help="Sessions that the model is asked about, three turns each.")
    ] = 4,
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the model's answers that are in --out already.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Where report.html and findings.json go.")] = Path("validation/tracker"),
) -> None:
    """Score the tracker's forecasts from turn 5 on in three worlds: beside the prior, the last exchange alone, a
    constant that knows the world, and a filter with the true transitions.

    About a quarter of an hour on 2 cores. Ends with 1 when a bound is broken. With --model, a language model is first
    shown transcripts and asked for its own forecast; what it will cost is said before it is asked.

    \b
    Examples:
      maieutic validate tracker --quick
      maieutic validate tracker --data ../shared/data --out validation/tracker
      maieutic validate tracker --quick --model embedded --model-sessions 2
    """
    from maieutic.validation.tracking import run

    refuse_file(out)
    check_split(split)
    plan = run.make_plan(split, quick=quick, seeds=seeds)
    human = run.human_beliefs(data) if data is not None else ()
    direct = _asked_directly(model, plan.cases, model_sessions, out, resume=resume) if model is not None else None
    tell(f"{plan.sessions} sessions to play; writing to {out}")
    with counted("sessions", plan.sessions) as tick:
        evidence = run.gather(plan, tick, human)
    tell_page(run.page(evidence, direct), out, quick=quick)


def _asked_directly(spec: str, cases: Sequence[str], sessions: int, out: Path, *, resume: bool) -> DirectEvidence:
    """What a model holds likely when it is shown transcripts; its answers are kept as they come."""
    import asyncio

    from maieutic.validation.answers import Answers, cost_of
    from maieutic.validation.patients import spread
    from maieutic.validation.tracking.direct import asked_at, places_of, query
    from maieutic.validation.tracking.direct_evidence import judged_directly
    from maieutic.validation.tracking.run import ARMS

    model = checked_model(spec)
    chosen = spread(cases, sessions)
    with counted("sessions", len(chosen)) as tick:
        places = places_of(chosen, ARMS, len(chosen), tick)
    answers = Answers(model, out / "answers.jsonl", resume=resume)
    open_ones = answers.open_of([query(place.session) for place in places])
    tell(cost_of(open_ones, spec))
    with counted("answers", len(places)) as tick:
        said = asyncio.run(asked_at(answers, places, tick))
    return judged_directly(spec, places, said)
