"""`maieutic validate agent`: is the session conducted? `maieutic validate model`: the same language model plain and
inside the Socratic agent, on the same cases and seeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.options import check_split
from maieutic.cli.screen import counted, messages, say, show_findings, tell, tell_page
from maieutic.errors import InputError
from maieutic.runs.folder import refuse_file

if TYPE_CHECKING:
    from maieutic.evaluation.plan import Plan


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


def model(
    model: Annotated[str, typer.Option(help="The model, such as embedded or http://…#model.")],
    sessions: Annotated[
        int, typer.Option("--model-sessions", min=1, help="Cases an arm, spread over the regular ones of the split.")
    ] = 4,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds per case.")] = 1,
    turns: Annotated[int, typer.Option(min=1, help="Therapist turns at most.")] = 20,
    split: Annotated[str, typer.Option(help="dev or test.")] = "test",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    out: Annotated[Path, typer.Option(help="Where the run, report.html and findings.json go.")] = Path(
        "validation/model"
    ),
) -> None:
    """Play a language model with a plain prompt and inside the agent, paired by case and seed, and compare them.

    Compared: fall of conviction, advice before exploration, feelings asserted that are not there, and what is held
    likely about the patient's belief (the model asked directly, the agent's tracker). Ends with 3 when a dialogue
    failed.

    \b
    Examples:
      maieutic validate model --model embedded --model-sessions 2 --turns 8
      maieutic validate model --model http://localhost:8000/v1#my-model --model-sessions 20 --out validation/model
    """
    import asyncio

    from maieutic.cli.evaluate import played
    from maieutic.evaluation.evaluate import make_plan
    from maieutic.evaluation.run import Limits
    from maieutic.registry import load_model
    from maieutic.runs.findings import write
    from maieutic.validation.agent.inside import KNOWING, compared, page, request_for
    from maieutic.validation.answers import Answers

    check_split(split)
    refuse_file(out)
    request = request_for(model, split=split, sessions=sessions, seeds=seeds, turns=turns)
    messages().print(_cost(make_plan(request), model), highlight=False, soft_wrap=True)
    outcome = played(request, out / "run", resume=resume, limits=Limits())
    whole = sum(not episode.failed for episode in outcome.episodes)
    answers = Answers(load_model(model), out / "answers.jsonl", resume=resume)
    with counted("answers", whole) as tick:
        evidence = asyncio.run(compared(model, outcome.episodes, answers, tick))
    shown = page(evidence)
    write(shown, out)
    show_findings(shown)
    say(f"\n{KNOWING}")
    for why in dict.fromkeys(line.why for line in evidence.lines if line.why):
        say(f"missing: {why}")
    say(f"\nReport: {out / 'report.html'}; the sessions: {out / 'run' / 'report.html'}")
    if outcome.failed:
        tell(f"{outcome.failed} dialogues failed; the report gives the reasons")
        raise typer.Exit(3)


def _cost(plan: Plan, spec: str) -> str:
    """Calls and tokens at most, in a sentence: the sessions of both arms, and a question about the end of each."""
    from maieutic.cli.evaluate import calls_of
    from maieutic.validation.tracking.direct import MAX_TOKENS

    sessions = len(plan.grid())
    calls, into, out = (sum(part) for part in zip(*(calls_of(plan, arm) for arm in plan.therapists), strict=True))
    asked = sessions * (600 + 60 * plan.turns)
    return (
        f"{sessions} sessions with {spec}, at most {calls + sessions} calls: about {into + asked:,} input and "
        f"{out + sessions * MAX_TOKENS:,} output tokens"
    )
