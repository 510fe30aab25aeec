"""`maieutic validate tracker` and `maieutic validate agent`: is the mind tracked, and is the session conducted?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.options import check_out, check_split, checked_model
from maieutic.cli.screen import counted, say, screen, session_progress, tell
from maieutic.errors import InputError

if TYPE_CHECKING:
    from maieutic.runs.findings import Finding
    from maieutic.runs.findings_page import Page
    from maieutic.validation.tracking.direct_evidence import DirectEvidence

Out = Annotated[Path, typer.Option(help="Where report.html and findings.json go.")]


def tracker(
    quick: Annotated[bool, typer.Option("--quick", help="Eight cases, one seed; seconds, for CI.")] = False,
    split: Annotated[str, typer.Option(help="dev or test.")] = "test",
    seeds: Annotated[int | None, typer.Option(min=1, help="Seeds of every case and therapist. Default: 9.")] = None,
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
    out: Out = Path("validation/tracker"),
) -> None:
    """Score the tracker's forecasts at every turn: beside the prior, the last exchange alone, and a filter with the
    true transitions.

    About half an hour on 2 cores. Ends with 1 when a bound is broken. With --model, a language model is first shown
    transcripts and asked for its own forecast; what it will cost is said before it is asked.

    \b
    Examples:
      maieutic validate tracker --quick
      maieutic validate tracker --data ../shared/data --out validation/tracker
      maieutic validate tracker --quick --model embedded --model-sessions 2
    """
    from maieutic.validation.tracking import run

    check_out(out)
    check_split(split)
    plan = run.make_plan(split, quick=quick, seeds=seeds)
    human = run.human_beliefs(data) if data is not None else ()
    direct = _asked_directly(model, plan.cases, model_sessions, out, resume=resume) if model is not None else None
    tell(f"{plan.sessions} sessions to play; writing to {out}")
    with session_progress(plan.sessions) as tick:
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
    with session_progress(len(chosen)) as tick:
        places = places_of(chosen, ARMS, len(chosen), tick)
    answers = Answers(model, out / "answers.jsonl", resume=resume)
    open_ones = answers.open_of([query(place.session) for place in places])
    tell(cost_of(open_ones, spec))
    with counted("answers", len(places)) as tick:
        said = asyncio.run(asked_at(answers, places, tick))
    return judged_directly(spec, places, said)


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
    out: Out = Path("validation/agent"),
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
    from maieutic.validation.agent.store import conduct_store
    from maieutic.validation.patients import check_inputs

    check_out(out)
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
    with session_progress(plan.steps) as tick:
        evidence = gather(plan, tick, store)
    write_turns(evidence, out / "turns.csv")
    tell_page(page(evidence), out, quick=quick, also=f"; turns for a human check: {out / 'turns.csv'}")


def _risk(out: Path, *, quick: bool, seeds: int | None, resume: bool) -> None:
    """Only how risk is met."""
    from maieutic.validation.agent.risk.run import gather, make_plan, page, write_sequences

    plan = make_plan(quick=quick, seeds=seeds)
    tell(f"{len(plan.sittings)} sessions to play; writing to {out}")
    with session_progress(plan.steps) as tick:
        evidence = gather(plan, out, tick, resume=resume)
    write_sequences(evidence.sessions, out)
    tell_page(page(evidence), out, quick=quick, also=f"; for blind readers: {out / 'sequences.md'}")


def tell_page(page: Page, out: Path, *, quick: bool, also: str = "") -> None:
    """Writes a page of findings and shows them. Raises `typer.Exit(1)` where a bound is broken."""
    from maieutic.runs.findings import broken
    from maieutic.runs.findings_page import write

    write(replace(page, quick=quick), out)
    show_findings(page.findings)
    say(f"\nReport: {out / 'report.html'}{also}")
    if broken(page.findings):
        raise typer.Exit(1)


def show_findings(findings: Sequence[Finding]) -> None:
    """Findings with their verdicts on the terminal, by check."""
    from rich.markup import escape

    from maieutic.runs.findings import mark, show

    colours = {"holds": "green", "broken": "red", "not judged": "yellow"}
    before = ""
    for finding in findings:
        if finding.check != before:
            before = finding.check
            screen().print(f"\n[bold]{escape(before)}[/bold]")
        verdict = mark(finding.holds) if finding.asked else ""
        shown = f"[{colours[verdict]}]{verdict:10}[/] " if verdict else " " * 11
        asked = f", asked {finding.asked}" if finding.asked else ""
        text = f"{finding.title}: {show(finding.value)} {finding.unit if finding.value else ''}{asked}"
        screen().print(shown + escape(text), highlight=False, soft_wrap=True)
