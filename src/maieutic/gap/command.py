"""`maieutic gap`: which of the known failures is it? One command, one profile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from maieutic.cli.options import (
    MostTokens,
    ResumeRun,
    RiskPolicies,
    Systems,
    Temperatures,
    TopPs,
    Workers,
    fresh_folder,
    read_workers,
    settings_of,
    tell_line,
)
from maieutic.cli.screen import going_on_named, messages, say, screen, tell, watched
from maieutic.errors import InputError

if TYPE_CHECKING:
    from maieutic.gap.battery import Request, Result
    from maieutic.runs.work import WorkersSpec


def gap(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[FOLDER]", help="With --resume: the run folder to go on with.")
    ] = None,
    therapist: Annotated[
        list[str] | None,
        typer.Option(
            help="[ARM=]NAME[:MODEL] or [ARM=]path.py:make; repeat to see several side by side. Default: socratic."
        ),
    ] = None,
    family: Annotated[list[str] | None, typer.Option(help="Only this family; repeat for more. Default: all.")] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Everything: every item, all regular cases of the split up to 40, 10 draws where a spread is wanted.",
        ),
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the items, to see that it runs.")] = False,
    split: Annotated[
        Literal["dev", "test"] | None, typer.Option(help="Cases of whole sessions: dev or test. Default: dev.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the battery; another one gives the retest. Default: 0.")
    ] = None,
    temperature: Temperatures = None,
    top_p: TopPs = None,
    max_tokens: MostTokens = None,
    system: Systems = None,
    risk_policy: RiskPolicies = None,
    concurrency: Annotated[int, typer.Option(help="Items at once.")] = 8,
    workers: Workers = None,
    timeout: Annotated[float, typer.Option(help="Seconds after which a reply counts as missing.")] = 120.0,
    stop_after: Annotated[
        int | None,
        typer.Option(
            help="Equal failures in a row that end a therapist's asking. Default: 5 before anything came, 20 after."
        ),
    ] = None,
    preflight: Annotated[
        bool, typer.Option("--preflight/--no-preflight", help="Ask every model and bot once before the run.")
    ] = True,
    gate: Annotated[Path | None, typer.Option(help="TOML file of bounds; exit code 1 when one does not hold.")] = None,
    judge: Annotated[
        str | None,
        typer.Option(help="A model that reads some of the replies beside our readers, such as http://…#model."),
    ] = None,
    admitted: Annotated[
        Path | None,
        typer.Option(help="admitted.json of `validate judge`: the judge is the reader where it was admitted."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Run folder. Default: runs/gap- and the time.")] = None,
    resume: ResumeRun = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost, and stop.")] = False,
    max_calls: Annotated[int | None, typer.Option(help="Stop, resumable, after this many new calls.")] = None,
) -> None:
    """Find out which of the known failures a therapist has, in eleven families, beside published figures.

    Families ask single turns, whole sessions with simulated patients, and questions outside the dialogue; a therapist
    that cannot be asked outside it is not applicable there. Writes profiles.json, scores.json and report.html.

    \b
    Examples:
      maieutic gap --therapist socratic
      maieutic gap --therapist prompted:embedded --out runs/embedded
      maieutic gap --resume runs/embedded
      maieutic gap --therapist socratic --therapist eliza --family safety --family lost
      maieutic gap --therapist prompted:http://localhost:8000/v1#my-model --dry-run
      maieutic gap --therapist my_bot.py:make --gate gates.toml
      maieutic gap --therapist socratic --workers 4 --out runs/gap
      maieutic gap --resume runs/embedded --judge http://localhost:8000/v1#judge
      maieutic gap --therapist eliza --judge http://localhost:8000/v1#judge --admitted validation/judge/admitted.json
    """
    from dataclasses import replace

    from maieutic.evaluation.run import Limits
    from maieutic.gap.battery import (
        Request,
        admission_of,
        families,
        scores,
        servable,
        stored_request,
        work_of,
    )
    from maieutic.gap.family import FULL, QUICK, STANDARD
    from maieutic.gap.gates import broken, check, read_gates
    from maieutic.gap.judging import calls_of
    from maieutic.registry import load_model
    from maieutic.runs.folder import latest_run

    if full and quick:
        raise InputError("--full and --quick exclude each other")
    from maieutic.gap.families import figures_of

    Limits(concurrency, max_calls, timeout=timeout, stop_after=stop_after)  # says which of them cannot be
    if folder is not None and not resume:
        raise InputError(f"{folder}: a folder is named to go on with a run: --resume {folder}")
    if folder is not None and out is not None and folder != out:
        raise InputError(f"{folder} and --out {out} are two folders; --resume goes on with one")
    gates = read_gates(gate) if gate else ()
    place = folder or out or (latest_run("gap") if resume else fresh_folder("gap"))
    before = stored_request(place) if resume else Request(("socratic",), (), STANDARD)
    extent = FULL if full else QUICK if quick else before.extent
    extent = replace(
        extent,
        seed=before.extent.seed if seed is None else seed,
        split=before.extent.split if split is None else split,
    )
    request = Request(
        tuple(therapist or before.therapists),
        tuple(family or before.families),
        extent,
        concurrency,
        max_calls,
        timeout,
        judge or before.judge,
        settings_of(temperature, top_p, max_tokens, system, risk_policy, before=before.settings),
        stop_after,
        preflight,
        admitted or before.admitted,
    )
    specs = servable(request)
    chosen = families(request.families)
    if gates:
        check(gates, [name for one in chosen for name in figures_of(one.id, judged=request.judge is not None)])
    work = work_of(request)
    _announce(request, [(f.title, work.calls[f.id]) for f in chosen], work.total)
    if request.judge or request.admitted:
        admission = admission_of(request, load_model(request.judge) if request.judge else None)
        count = calls_of(work.units, admission) * len(specs)
        reads = f", in place of our readers of {', '.join(sorted(admission.readers))}" if admission else ""
        tell(f"judge {request.judge}: {count:,} answers at most, on top{reads}")
    if dry_run:
        return
    results = _run(request, place, resume=resume, workers=read_workers(workers))
    faults = broken(gates, [row for result in results for row in scores(result)])
    for fault in faults:
        say(f"gate broken: {fault}")
    if gates and not faults:
        say(f"{len(gates)} {'gate holds' if len(gates) == 1 else 'gates hold'}")
    if faults:
        raise typer.Exit(1)
    if any(result.no_result or result.failed for result in results):
        raise typer.Exit(3)


def _run(request: Request, folder: Path, *, resume: bool, workers: WorkersSpec | None) -> tuple[Result, ...]:
    from maieutic.gap.battery import families, run
    from maieutic.gap.page import print_beside, print_profile
    from maieutic.gap.spread import on_workers

    tell(f"writing to {folder}", whole=True)
    if request.preflight and any(":" in text for text in request.therapists):
        tell("asking every model and bot once before the run")
    spread = None if workers is None else on_workers(workers, tell_line)
    with going_on_named(f"maieutic gap --resume {folder}", folder, resume=resume), watched("replies") as watch:
        results = run(request, folder, resume=resume, watch=watch, spread=spread)
    for result in results:
        if not result.no_result:
            print_profile(result, families(request.families), screen())
    if not all(result.no_result for result in results):
        print_beside(results, screen())
    say(f"\nReport: {folder / 'report.html'}")
    for result in results:
        told = result.no_result
        if not told and result.failed:
            told = (
                f"{result.failed} replies of {result.therapist} failed; ask again with: maieutic gap --resume "
                f"{folder}. {result.failure}"
            )
        if told:
            tell(told, whole=True)
    return results


def _announce(request: Request, calls: list[tuple[str, int]], total: int) -> None:
    """The budget, before anything is called."""
    from maieutic.runs.shown import Table

    rest = ("whole sessions, shared by the families", total - sum(count for _, count in calls))
    rows = [(title, f"{count:,}") for title, count in (*calls, rest, ("each therapist", total))]
    messages().print(Table("", ("family", "replies and answers at most"), rows).on_screen(right=(1,)))
    if len(request.therapists) > 1:
        messages().print(f"{len(request.therapists)} therapists: {total * len(request.therapists):,} in all")


def report(run: Path) -> None:
    """`maieutic report` of a folder of the battery."""
    from maieutic.gap.battery import report as report_stored
    from maieutic.gap.families import families
    from maieutic.gap.page import print_beside, print_profile

    with watched("replies") as watch:
        found = report_stored(run, watch)
    for result in found.results:
        if result.no_result:
            say(result.no_result)
        else:
            print_profile(result, families(found.request.families), screen())
    if not all(result.no_result for result in found.results):
        print_beside(found.results, screen())
    say(f"\nReport: {run / 'report.html'}")
    if found.told:
        tell(f"{found.told} Go on with: maieutic gap --resume {run}", whole=True)
