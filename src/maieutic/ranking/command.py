"""`maieutic tournament` and `maieutic leaderboard`: who does better on the same patients, in tiers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli.options import checked_model, read_columns
from maieutic.cli.screen import counted, run_progress, say, screen, tell, turns_of
from maieutic.comparing.command import KEYS, Columns
from maieutic.errors import refuse_below

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maieutic.domain.episode import EpisodeKey
    from maieutic.evaluation.evaluate import Request
    from maieutic.evaluation.journal import Record
    from maieutic.evaluation.plan import Plan
    from maieutic.evaluation.run import Watcher
    from maieutic.ranking.leaderboard import Leaderboard


class Pairing(StrEnum):
    """Who plays what."""

    SWISS = "swiss"
    ALL = "all"


Judge = Annotated[
    str | None,
    typer.Option(help="A model as second opinion on battles, such as http://…#model; it moves no rating."),
]
JudgeBattles = Annotated[int, typer.Option(help="Battles that the judge reads at most, each in both orders.")]


def tournament(
    therapist: Annotated[list[str], typer.Option(help="NAME[:MODEL] or path.py:make; repeat, two or more.")],
    pairing: Annotated[
        Pairing, typer.Option(help="swiss: stages that stop where nothing is left to tell; all: everybody plays all.")
    ] = Pairing.SWISS,
    cases: Annotated[
        list[str] | None,
        typer.Option(help="Case ids, YAML files, or starter, dev, test, all, pairs; repeat for more. Default: dev."),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Seeds per case, at most.")] = 2,
    turns: Annotated[int, typer.Option(help="Therapist turns at most.")] = 20,
    patient: Annotated[str, typer.Option(help="As in `evaluate`.")] = "simulated",
    seed: Annotated[int, typer.Option(help="Seed of the whole tournament.")] = 0,
    concurrency: Annotated[int, typer.Option(help="Sessions at once.")] = 8,
    out: Annotated[Path, typer.Option(help="Run folder.")] = Path("runs/tournament"),
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the tournament in --out.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost at most, and stop.")] = False,
    max_calls: Annotated[int | None, typer.Option(help="Stop, resumable, after this many model calls.")] = None,
    judge: Judge = None,
    judge_battles: JudgeBattles = 60,
) -> None:
    """Play therapists against each other on the same patients and seeds, and rate them in tiers.

    Writes a run folder with leaderboard.html, leaderboard.json and battles.jsonl. Needs `pip install 'maieutic[rank]'`.

    \b
    Examples:
      maieutic tournament --therapist socratic --therapist eliza --therapist advice
      maieutic tournament --therapist socratic --therapist my_bot.py:make --pairing all --cases starter
      maieutic tournament --therapist socratic --therapist prompted:http://localhost:8000/v1#m --dry-run
      maieutic tournament --therapist socratic --therapist eliza --out runs/cup --resume
    """
    from maieutic.comparing.sources import read_source
    from maieutic.evaluation.evaluate import Request
    from maieutic.evaluation.run import Limits
    from maieutic.ranking.leaderboard import as_swiss, gather, play

    request = Request(tuple(therapist), tuple(cases or ("dev",)), seeds, turns, patient, None, seed)
    if dry_run:
        _show_costs(request, pairing)
        return
    played = play(request, pairing.value, out, _watching, resume=resume, limits=Limits(concurrency, max_calls))
    found = as_swiss(gather([read_source(out)]), played, pairing.value)
    _finish(found, out, judge, judge_battles)
    failed = sum(one.failed for one in played.episodes)
    if failed:
        tell(f"{failed} dialogues failed; they give no battle")
        raise typer.Exit(3)


def leaderboard(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Folders of `evaluate` or `tournament`, or people's kept sessions."),
    ],
    allow: Annotated[list[str] | None, typer.Option(help="What may be unequal between runs; as in `compare`.")] = None,
    column: Columns = None,
    out: Annotated[Path, typer.Option(help="Folder for leaderboard.html, leaderboard.json and battles.jsonl.")] = Path(
        "runs/leaderboard"
    ),
    judge: Judge = None,
    judge_battles: JudgeBattles = 60,
) -> None:
    """Rate the therapists of stored runs in tiers; a page that a group can host, with its provenance.

    Sessions of one therapist meet those of another on the same case and seed; nothing is played.

    \b
    Examples:
      maieutic leaderboard runs/first
      maieutic leaderboard runs/a runs/b --out site/board
      maieutic leaderboard runs/a runs/b --allow cases
      maieutic leaderboard runs/first talks/ --judge http://localhost:8000/v1#judge
    """
    from maieutic.comparing.sources import read_source
    from maieutic.ranking.leaderboard import gather

    columns = read_columns(column, KEYS)
    found = gather([read_source(run, columns) for run in runs], allowed=tuple(allow or ()))
    _finish(found, out, judge, judge_battles)


def _finish(found: Leaderboard, out: Path, judge: str | None, most: int) -> None:
    from maieutic.ranking.output import print_leaderboard, write_leaderboard

    if judge is not None:
        found = _judged(found, judge, most)
    write_leaderboard(found, out)
    print_leaderboard(found, screen())
    say(f"\nPage: {out / 'leaderboard.html'}")


def _judged(found: Leaderboard, spec: str, most: int) -> Leaderboard:
    import asyncio

    from maieutic.ranking.battles import Opinion, second_opinion
    from maieutic.ranking.leaderboard import contested, named_episodes, with_opinion

    refuse_below(1, judge_battles=most)
    model = checked_model(spec)
    battles = contested(found, most)
    episodes = {(key.therapist, key.case, key.seed): one for key, one in named_episodes(found.sources).items()}

    async def asked() -> Opinion:
        try:
            with counted("battles", len(battles)) as tick:
                return await second_opinion(battles, episodes, model, tick=tick)
        finally:
            await model.close()

    return with_opinion(found, asyncio.run(asked()))


@contextmanager
def _watching(plan: Plan, done: Mapping[EpisodeKey, Record], told: str) -> Iterator[Watcher]:
    """A bar and an ETA for each therapist of a stage; what the stages before played is not counted again."""
    tell(f"{told}: {len(plan.cases)} cases, {', '.join(plan.therapists)}")
    with run_progress(*turns_of(plan, done)) as watch:
        yield watch


def _show_costs(request: Request, pairing: Pairing) -> None:
    from maieutic.cli.evaluate import calls_of
    from maieutic.ranking.leaderboard import entered
    from maieutic.ranking.ratings import stages

    plan = entered(request)
    for spec in sorted(plan.therapists):
        calls, into, out = calls_of(plan, spec)
        say(f"{spec}: at most {calls:,} calls, about {into:,} tokens in, {out:,} out")
    steps = stages(len(plan.cases), min(plan.seeds.values()), pairing.value)
    told = ", ".join(f"{one.cases} × {one.seeds}" for one in steps)
    say(f"Stages (cases × seeds): {told}. A stage is left out once nobody is left to be told apart.")
