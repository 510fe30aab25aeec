"""`maieutic validate agent`: is the session conducted?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maieutic.cli.options import check_split
from maieutic.cli.screen import counted, tell, tell_page
from maieutic.errors import InputError
from maieutic.runs.folder import refuse_file


def agent(
    quick: Annotated[bool, typer.Option("--quick", help="Ten cases, one seed, fewer arms; for CI.")] = False,
    split: Annotated[str, typer.Option(help="dev or test.")] = "test",
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds of every case and arm. Default: 5.")] = None,
    voice_model: Annotated[
        str | None, typer.Option(help="A model to voice a few patients with, such as embedded or http://…#model.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what was played into --out before.")] = False,
    part: Annotated[
        str, typer.Option(help="all, or risk: only how risk is met, in every grade and under both risk policies.")
    ] = "all",
    out: Annotated[Path, typer.Option(help="Where report.html and findings.json go.")] = Path("validation/agent"),
) -> None:
    """Judge the Socratic agent: its effect beside rivals and ablations, its timing, what it must not do, how it meets
    risk.

    About an hour on 2 cores. Sessions are kept as they end: after a stop, --resume goes on with them. Writes 200 of its
    turns as turns.csv for a human check. With --part risk (about a quarter of an hour) both splits are played, and the
    turns around risk go to sequences.md for blind readers, what was true apart from them to truth.json. Ends with 1
    when a bound is broken.

    \b
    Examples:
      maieutic validate agent --quick
      maieutic validate agent --part risk --out validation/risk
      maieutic validate agent --seeds 5 --out validation/agent
      maieutic validate agent --seeds 5 --out validation/agent --resume
    """
    from maieutic.validation.agent.run import gather, make_plan, page, write_turns
    from maieutic.validation.agent.sessions import conduct_store
    from maieutic.validation.patients import check_inputs

    refuse_file(out)
    if part not in ("all", "risk"):
        raise InputError(f"--part {part!r} is neither all nor risk")
    check_split(split)
    if part == "risk":
        _risk(out, quick=quick, seeds=seeds, resume=resume)
        return
    check_inputs(None, voice_model)
    plan = make_plan(split, quick=quick, seeds=seeds, voice=voice_model)
    tell(f"{plan.sessions} sessions to play; writing to {out}")
    store = conduct_store(out / "sessions.jsonl", resume=resume)
    with counted("sessions", plan.steps) as tick:
        evidence = gather(plan, tick, store)
    write_turns(evidence, out / "turns.csv")
    tell_page(page(evidence), out, quick=quick, also=f"; turns for a human check: {out / 'turns.csv'}")


def _risk(out: Path, *, quick: bool, seeds: int | None, resume: bool) -> None:
    """Only how risk is met."""
    from maieutic.validation.agent.risk.run import gather, make_plan, page, write_sequences

    plan = make_plan(quick=quick, seeds=seeds)
    tell(f"{len(plan.sittings)} sessions to play; writing to {out}")
    with counted("sessions", plan.steps) as tick:
        evidence = gather(plan, out, tick, resume=resume)
    write_sequences(evidence.sessions, out)
    tell_page(page(evidence), out, quick=quick, also=f"; for blind readers: {out / 'sequences.md'}")
