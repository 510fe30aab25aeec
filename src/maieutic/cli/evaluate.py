"""`maieutic evaluate`: therapists × cases × seeds with simulated patients; `report`, `rescore` and `merge` read a run
folder again, or put its parts together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli import wings
from maieutic.cli.options import (
    MostTokens,
    OwnMeasures,
    ResumeRun,
    RiskPolicies,
    ShardOption,
    Systems,
    Temperatures,
    TopPs,
    Workers,
    check_both,
    fresh_folder,
    read_shard,
    read_workers,
    settings_of,
)
from maieutic.cli.screen import going_on_named, run_progress, say, screen, tell, turns_of
from maieutic.errors import InputError

if TYPE_CHECKING:
    from maieutic.evaluation.evaluate import Outcome, Player, Request
    from maieutic.evaluation.plan import Plan
    from maieutic.evaluation.run import Limits
    from maieutic.evaluation.study import Study


FAILED = 3


def evaluate(
    study: Annotated[
        Path | None,
        typer.Argument(
            metavar="[STUDY.yaml]",
            help="A file that says the same as the options, which go before it. With --resume: the run folder.",
        ),
    ] = None,
    therapist: Annotated[
        list[str] | None,
        typer.Option(
            help="[ARM=]NAME[:MODEL] or [ARM=]path.py:make; repeat for more. Default: the embedded model, untrained "
            "and trained, and seven arms without one."
        ),
    ] = None,
    cases: Annotated[
        list[str] | None,
        typer.Option(
            help="Case ids (ID@STYLE for another style), YAML files, or starter, dev, test, all, pairs, pairs-dev, "
            "pairs-test; repeat for more. Default: starter, twelve of dev."
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Seeds per case. Default: 1 with a model, 10 without.")] = None,
    turns: Annotated[int | None, typer.Option(help="Therapist turns at most. Default: 20.")] = None,
    limit: Annotated[int | None, typer.Option(help="Sessions an arm at most.")] = None,
    patient: Annotated[
        str | None,
        typer.Option(
            help="simulated, simulated+llm:MODEL, simulated+llm-or-embedded:MODEL, voiced:MODEL, static:MODEL, "
            "mindvoyager[:MODEL], second_world (another simulator of the same people) or FILE.py:NAME (one of your "
            "own). Default: simulated."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the whole run. Default: 0.")] = None,
    temperature: Temperatures = None,
    top_p: TopPs = None,
    max_tokens: MostTokens = None,
    system: Systems = None,
    risk_policy: RiskPolicies = None,
    concurrency: Annotated[
        int | None,
        typer.Option(help="Sessions at once, over all workers. Default: 8; 4 a worker where a run is divided."),
    ] = None,
    workers: Workers = None,
    shard: ShardOption = None,
    timeout: Annotated[
        float | None,
        typer.Option(help="Seconds a reply may take. Default: 60 for a request to a server, 120 for a turn of a bot."),
    ] = None,
    stop_after: Annotated[
        int | None,
        typer.Option(help="Equal failures in a row that end an arm. Default: 5 before anything came, 20 after."),
    ] = None,
    preflight: Annotated[
        bool | None,
        typer.Option("--preflight/--no-preflight", help="Ask every model and bot once before the run. Default: yes."),
    ] = None,
    gate: Annotated[
        str | None,
        typer.Option(
            help="After the run: hold it against this policy, as `maieutic gate` does; exit code 1 when it does "
            "not pass."
        ),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(help="With --gate: run of `evaluate` that must not be undercut.")
    ] = None,
    measure: OwnMeasures = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: runs/ and the time.")] = None,
    judge: Annotated[
        str | None, typer.Option(help="A model that reads advice in place of the rules where --admitted says so.")
    ] = None,
    admitted: Annotated[
        Path | None, typer.Option(help="admitted.json of `validate judge`: says whether the judge may read advice.")
    ] = None,
    resume: ResumeRun = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="With --resume: take up failed dialogues where they failed.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost, and stop.")] = False,
    max_calls: Annotated[int | None, typer.Option(help="Stop, resumable, after this many model calls.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Stop, resumable, at this cost; needs --price.")] = None,
    price: Annotated[
        str | None,
        typer.Option(help="IN,OUT: price of a million input and output tokens, for --dry-run and --max-cost."),
    ] = None,
) -> None:
    """Play sessions with simulated patients, score them and write a run folder with report.html and tables.

    With no options: the embedded model, untrained and trained, and seven arms that need none; no key, no network. Name
    no_session and worksheet beside your own arms: an effect is a difference to the first, and the verdict asks for more
    than the second gets. A long run that asks no server uses the cores of this machine, four at most.

    \b
    Examples:
      maieutic evaluate
      maieutic evaluate --therapist socratic --therapist worksheet --therapist no_session --seeds 5 --out runs/first
      maieutic evaluate --therapist prompted:http://localhost:8000/v1#my-model --dry-run
      maieutic evaluate --therapist old=prompted:http://localhost:8000/v1#v1 --therapist new=prompted:http://localhost:8000/v1#v2
      maieutic evaluate --therapist my_bot.py:make --therapist no_session --timeout 30
      maieutic evaluate --therapist hot=prompted:embedded --therapist cool=prompted:embedded --temperature hot=1.2
      maieutic evaluate --therapist my_bot.py:make --therapist no_session --gate gate.yaml
      maieutic evaluate --therapist socratic --therapist no_session --risk-policy indicated
      maieutic evaluate --therapist socratic --therapist no_session --measure my_measures.py:long_turns
      maieutic evaluate --therapist socratic --therapist no_session --patient simulated+llm:http://localhost:8000/v1#my-model
      maieutic evaluate study.yaml
      maieutic evaluate --therapist socratic --therapist no_session --workers 8 --out runs/wide
      maieutic evaluate --therapist socratic --therapist no_session --shard 2/8 --out runs/part-2
      maieutic evaluate --resume runs/first
      maieutic evaluate --resume runs/first --retry-failed
    """
    from maieutic.evaluation.evaluate import make_plan, own_workers, stored_request
    from maieutic.evaluation.journal import read_journal
    from maieutic.evaluation.study import Study
    from maieutic.registry import ask_for
    from maieutic.runs.folder import latest_run

    for spec in measure or ():
        ask_for(spec)
    going_on = resume or retry_failed
    folder = study if study is not None and going_on and study.suffix not in (".yaml", ".yml") else None
    if folder is not None and out is not None and folder != out:
        raise InputError(f"{folder} and --out {out} are two folders; --resume goes on with one")
    given = Study.given(
        therapists=therapist or None,
        cases=cases or None,
        seeds=seeds,
        turns=turns,
        patient=patient or None,
        limit=limit,
        run_seed=seed,
        settings=settings_of(temperature, top_p, max_tokens, system, risk_policy) or None,
        shard=read_shard(shard),
        concurrency=concurrency,
        timeout=timeout,
        stop_after=stop_after,
        preflight=preflight,
        max_calls=max_calls,
        max_cost=max_cost,
        prices=_prices(price),
        retry_failed=retry_failed or None,
        out=folder or out,
        workers=read_workers(workers),
        gate=gate,
        baseline=baseline,
    )
    if study is not None and folder is None:
        given = given.over(_read(study))
    limits, policy, before = given.limited(), given.words.get("gate"), given.words.get("baseline")
    out = given.words.get("out") or (
        latest_run("evaluate", finished=retry_failed) if going_on else fresh_folder("evaluate")
    )
    request = given.asked(stored_request(out) if going_on else None)
    if before is not None and policy is None:
        raise InputError("--baseline is what a policy's rules are held against; name the policy with --gate")
    hold = None if policy is None else wings.gate(policy, before)
    if dry_run:
        _show_costs(make_plan(request), limits.prices)
        return
    reader = check_both(judge, admitted)
    reread = None if reader is None else wings.judge_reread(*reader, limits.max_calls)
    crew = given.words.get("workers") or own_workers(
        request, kept=len(read_journal(out / "journal")) if going_on else 0
    )
    play = None if crew is None else wings.workers_play(request, crew, given.words.get("concurrency"))
    failed = _run(request, out, resume=going_on, limits=limits, play=play)
    if reread is not None:
        reread(out)
    if hold is not None:
        hold(out, request.therapists)
    if failed:
        raise typer.Exit(FAILED)


def _read(path: Path) -> Study:
    from maieutic.evaluation.study import read_study

    if path.is_dir():
        raise InputError(f"{path} is a folder: go on with a run by --resume {path}, or name a study file")
    if path.suffix not in (".yaml", ".yml"):
        from maieutic.library import case_ids

        option = "--cases" if str(path) in case_ids() else "--therapist"
        kind = "case" if option == "--cases" else "therapist"
        raise InputError(f"{path} is no study: its name must end in .yaml. A {kind} is named with {option} {path}")
    return read_study(path)


def _run(request: Request, folder: Path, *, resume: bool, limits: Limits, play: Player | None) -> int:
    """Play, show the table; the number of failed dialogues."""
    from maieutic.evaluation.findings import no_result
    from maieutic.evaluation.plan import REFERENCE
    from maieutic.evaluation.tables import print_not_again, print_table

    if limits.preflight and any(":" in text for text in request.therapists):
        tell("asking every model and bot once before the run")
    with going_on_named(f"maieutic evaluate --resume {folder}", folder, resume=resume):
        outcome = played(request, folder, resume=resume, limits=limits, play=play)
    arms = outcome.summary.arms
    if any(not arm.dead for arm in arms if arm.therapist != REFERENCE or len(arms) == 1):
        print_table(outcome.summary, screen())
    print_not_again(outcome.not_again, screen())
    say(f"\nReport: {folder / 'report.html'}; tables: {folder / 'tables'}", whole=True)
    for arm in arms:
        if arm.dead:
            tell(no_result(arm), whole=True)
    if outcome.failed:
        tell(
            f"{outcome.failed} dialogues failed; the report gives the reasons. "
            f"Ask again with: maieutic evaluate --resume {folder} --retry-failed",
            whole=True,
        )
    return outcome.failed


def played(request: Request, folder: Path, *, resume: bool, limits: Limits, play: Player | None = None) -> Outcome:
    """The run with a bar and an ETA for each arm; whatever is said is in the journal at once."""
    from contextlib import ExitStack

    from maieutic.evaluation.evaluate import evaluate as run_evaluation
    from maieutic.evaluation.findings import plural

    with ExitStack() as stack:
        watchers = []

        def begin(plan: Plan, done: object) -> None:
            assert isinstance(done, dict)
            tell(
                f"{plural(len(plan.grid()), 'session')} of up to {plural(plan.turns, 'turn')}; writing to {folder}",
                whole=True,
            )
            watchers.append(stack.enter_context(run_progress(*turns_of(plan, done))))

        return run_evaluation(
            request, folder, resume=resume, limits=limits, watch=lambda e: watchers[0](e), begin=begin, play=play
        )


def _prices(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        into, out = (float(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(f"--price expects two numbers such as 0.15,0.60, got {text!r}") from error
    return into, out


def _show_costs(plan: Plan, prices: tuple[float, float] | None) -> None:
    """Calls, tokens and money of a plan; an upper bound, since sessions may end early and replies may be short."""
    from maieutic.runs.shown import Table

    rows = []
    for spec in sorted(plan.therapists):
        keys = [key for key in plan.grid() if key.therapist == spec]
        grid = f"{len({key.case for key in keys})} × {len({key.seed for key in keys})}"
        calls, into, out = calls_of(plan, spec)
        cost = "not known" if prices is None else f"{(into * prices[0] + out * prices[1]) / 1e6:.2f}"
        rows.append((spec, f"{len(keys)} = {grid}", f"{calls:,}", f"{into:,}", f"{out:,}", cost if calls else "0"))
    numbers = range(1, 6)
    columns = ("arm", "sessions", "calls", "tokens in", "tokens out", "cost")
    screen().print(Table("", columns, rows).on_screen(right=numbers, whole=numbers))
    say(
        f"sessions: cases × seeds (--seeds), of at most {plan.turns} turns, run seed {plan.run_seed}. calls: at most. "
        "Tokens are about so many: 80 for a reply and the whole session in each prompt. Nothing was run."
    )


def calls_of(plan: Plan, spec: str) -> tuple[int, int, int]:
    """Model calls, input and output tokens of an arm at most; tokens assume a reply of 80 and the whole session in each
    prompt."""
    from maieutic.registry import file_and_maker

    therapist = plan.therapists[spec]
    sessions = sum(key.therapist == spec for key in plan.grid())
    asked = hasattr(therapist, "temperature")  # its model answers a question at the end of each session
    own = plan.turns * getattr(therapist, "calls_a_turn", 1) + asked
    calls = sessions * own if getattr(therapist, "model", None) else 0
    if ":" in plan.patient and not file_and_maker(plan.patient):
        calls += sessions * (plan.turns + 1)
    return calls, calls * (150 + 60 * plan.turns), calls * 80


RunFolder = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run folder written by `maieutic evaluate` or `maieutic gap`.")
]


def report(run: RunFolder) -> None:
    """Write RUN/report.html again from what is stored, and print the table; no model is called.

    A run that was stopped shows what is there, and says how much that is.

    \b
    Examples:
      maieutic report runs/first
      maieutic report runs/gap-first
    """
    from maieutic.doors import joined
    from maieutic.runs.folder import read_manifest

    show = joined("reports").get(read_manifest(run).get("kind", ""))
    (show.load() if show else _again)(run)


def rescore(run: RunFolder, measure: OwnMeasures = None) -> None:
    """Apply this version's measures to a stored run and rewrite its scores and report; no model is called.

    \b
    Examples:
      maieutic rescore runs/first
      maieutic rescore runs/first --measure my_measures.py:long_turns
    """
    from maieutic.registry import ask_for

    for spec in measure or ():
        ask_for(spec)
    _again(run)


def _again(run: Path) -> None:
    from maieutic.evaluation.evaluate import rescore as rescore_run

    _show(rescore_run(run), run)


def _show(outcome: Outcome, run: Path) -> None:
    from maieutic.evaluation.tables import print_not_again, print_table

    print_table(outcome.summary, screen())
    print_not_again(outcome.not_again, screen())
    say(f"\nReport: {run / 'report.html'}")


def merge(
    parts: Annotated[
        list[Path], typer.Argument(metavar="PART…", help="Run folders made with --shard, all of one run.")
    ],
    out: Annotated[Path, typer.Option(help="Run folder to write; it must not hold anything yet.")],
) -> None:
    """Put the parts of a run together that was divided with --shard, whoever played them.

    The files are those of one machine, byte for byte. No model is called, and the parts stay as they are.

    \b
    Examples:
      maieutic merge runs/part-1 runs/part-2 --out runs/whole
      maieutic merge runs/part-* --out runs/whole
    """
    from maieutic.evaluation.evaluate import merge as merge_runs

    outcome = merge_runs(parts, out)
    _show(outcome, out)
    if outcome.failed:
        raise typer.Exit(3)
