"""`maieutic evaluate`: therapists × cases × seeds with simulated patients."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.screen import messages, run_progress, screen
from maieutic.cli.workers import AT_ONCE, ShardOption, Workers, player_on, read_shard, read_workers

if TYPE_CHECKING:
    from maieutic.evaluation.evaluate import Outcome, Player, Request
    from maieutic.evaluation.plan import Plan
    from maieutic.evaluation.run import Limits


def evaluate(
    therapist: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME[:MODEL] or path.py:make; repeat for more. Default: seven arms with the embedded model."
        ),
    ] = None,
    cases: Annotated[
        list[str] | None,
        typer.Option(
            help="Case ids (ID@STYLE for another style), YAML files, or starter, dev, test, all; repeat for more. Default: starter, twelve of dev."
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Seeds a case. Default: 1 with a model, 10 without.")] = None,
    turns: Annotated[int, typer.Option(help="Therapist turns at most.")] = 20,
    limit: Annotated[int | None, typer.Option(help="Sessions an arm at most.")] = None,
    patient: Annotated[
        str, typer.Option(help="simulated, simulated+llm:MODEL, voiced:MODEL, static:MODEL or mindvoyager[:MODEL].")
    ] = "simulated",
    seed: Annotated[int, typer.Option(help="Seed of the whole run.")] = 0,
    concurrency: Annotated[
        int | None, typer.Option(help="Sessions at once, over all workers. Default: 8; 4 a worker with --workers.")
    ] = None,
    workers: Workers = None,
    shard: ShardOption = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: runs/ and the time.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --out (default: the latest in runs/).")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost, and stop.")] = False,
    max_calls: Annotated[int | None, typer.Option(help="Stop, resumable, after this many model calls.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop, resumable, at this cost; needs --price.")] = None,
    price: Annotated[
        str | None,
        typer.Option(help="IN,OUT: price of a million input and output tokens, for --dry-run and --max-cost."),
    ] = None,
) -> None:
    """Play sessions with simulated patients, score them and write a run folder with report.html.

    With no options: the embedded model and six arms that need none, no key, no network.

    \b
    Examples:
      maieutic evaluate
      maieutic evaluate --therapist socratic --therapist eliza --therapist no_session --seeds 5 --out runs/first
      maieutic evaluate --therapist prompted:http://localhost:8000/v1#my-model --dry-run
      maieutic evaluate --therapist socratic --therapist no_session --cases gethin@upset --cases gethin@pleasing
      maieutic evaluate --therapist my_bot.py:make --therapist no_session
      maieutic evaluate --therapist socratic --therapist no_session --workers 8 --out runs/wide
      maieutic evaluate --therapist socratic --therapist no_session --shard 2/8 --out runs/part-2
    """
    from maieutic.errors import InputError
    from maieutic.evaluation.evaluate import DEFAULT_ARMS, Request, make_plan
    from maieutic.evaluation.run import Limits

    prices = _prices(price)
    if max_cost is not None and prices is None:
        raise InputError("--max-cost needs --price IN,OUT, the price of a million input and output tokens")
    if concurrency is not None and concurrency < 1:
        raise InputError(f"--concurrency must be at least 1, got {concurrency}")
    spec, part = read_workers(workers), read_shard(shard)
    request = Request(tuple(therapist or DEFAULT_ARMS), tuple(cases or ()), seeds, turns, patient, limit, seed, part)
    if dry_run:
        _show_costs(make_plan(request), prices)
        return
    folder = out or (_latest() if resume else _fresh())
    limits = Limits(concurrency or AT_ONCE, max_calls, max_cost, prices)
    play = None if spec is None else player_on(request, spec, concurrency)
    _run(request, folder, resume=resume, limits=limits, play=play)


def _run(request: Request, folder: Path, *, resume: bool, limits: Limits, play: Player | None) -> None:
    from maieutic.evaluation.findings import no_result
    from maieutic.evaluation.summary import REFERENCE
    from maieutic.evaluation.table import print_table

    outcome = played(request, folder, resume=resume, limits=limits, play=play)
    arms = outcome.summary.arms
    if any(not arm.dead for arm in arms if arm.therapist != REFERENCE or len(arms) == 1):
        print_table(outcome.summary, screen())
    screen().print(f"\nReport: {folder / 'report.html'}", highlight=False)
    for arm in arms:
        if arm.dead:
            messages().print(no_result(arm), markup=False, highlight=False, soft_wrap=True)
    if outcome.failed:
        messages().print(f"{outcome.failed} dialogues failed; the report gives the reasons", highlight=False)
        raise typer.Exit(3)


def played(request: Request, folder: Path, *, resume: bool, limits: Limits, play: Player | None = None) -> Outcome:
    """The run with a bar and an ETA for each arm; whatever is said is in the journal at once."""
    from collections import Counter
    from contextlib import ExitStack

    from maieutic.evaluation.evaluate import evaluate as run_evaluation

    with ExitStack() as stack:
        watchers = []

        def begin(plan: Plan, done: object) -> None:
            assert isinstance(done, dict)
            totals = Counter(dict.fromkeys(plan.therapists, 0))
            kept: Counter[str] = Counter()
            for key in plan.grid():
                totals[key.therapist] += plan.turns
                if key in done:
                    kept[key.therapist] += plan.turns if done[key].closed else len(done[key].codes)
            messages().print(
                f"{len(plan.grid())} sessions of up to {plan.turns} turns; writing to {folder}", highlight=False
            )
            watchers.append(stack.enter_context(run_progress(totals, kept)))

        return run_evaluation(
            request, folder, resume=resume, limits=limits, watch=lambda e: watchers[0](e), begin=begin, play=play
        )


def _prices(text: str | None) -> tuple[float, float] | None:
    from maieutic.errors import InputError

    if text is None:
        return None
    try:
        into, out = (float(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"--price expects two numbers such as 0.15,0.60, got {text!r}") from error
    return into, out


def _show_costs(plan: Plan, prices: tuple[float, float] | None) -> None:
    """Calls, tokens and money of a plan; an upper bound, since sessions may end early and replies may be short."""
    from rich.table import Table

    table = Table("arm", "sessions", "calls at most", "input tokens", "output tokens", "cost")
    for spec in sorted(plan.therapists):
        sessions = sum(key.therapist == spec for key in plan.grid())
        calls, into, out = calls_of(plan, spec)
        cost = "not known" if prices is None else f"{(into * prices[0] + out * prices[1]) / 1e6:.2f}"
        table.add_row(spec, str(sessions), str(calls), f"about {into:,}", f"about {out:,}", cost if calls else "0")
    screen().print(table)
    screen().print(
        "Tokens assume 80 for a reply and the whole session in each prompt. Nothing was run.", highlight=False
    )


def calls_of(plan: Plan, spec: str) -> tuple[int, int, int]:
    """Model calls, input and output tokens of an arm at most; tokens assume a reply of 80 and the whole session in each prompt."""
    therapist = plan.therapists[spec]
    sessions = sum(key.therapist == spec for key in plan.grid())
    calls = sessions * plan.turns * getattr(therapist, "calls_a_turn", 1) if getattr(therapist, "model", None) else 0
    if ":" in plan.patient:
        calls += sessions * (plan.turns + 1)
    return calls, calls * (150 + 60 * plan.turns), calls * 80


def _fresh() -> Path:
    from datetime import datetime

    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    return Path("runs") / f"evaluate-{stamp}"


def _latest() -> Path:
    from maieutic.errors import InputError

    found = sorted(Path("runs").glob("evaluate-*/manifest.json"))
    if not found:
        raise InputError("--resume found no run in runs/; name its folder with --out")
    return found[-1].parent
