"""`maieutic score`: measures of real transcripts, and the rating kit by which people can check them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maieutic.cli import wings
from maieutic.cli.options import Columns, Encoding, OwnMeasures, Workers, check_both, read_columns, read_workers
from maieutic.cli.screen import screen, tell, watched
from maieutic.errors import InputError
from maieutic.runs.work import stoppable

if TYPE_CHECKING:
    from maieutic.measures.coded import Predict
    from maieutic.runs.work import WorkersSpec
    from maieutic.scoring.score_run import ScoreOptions

FAILED = 3


def score(
    paths: Annotated[
        list[Path],
        typer.Argument(help="CSV, Excel, Word, JSON, subtitles, ConvoKit, speaker-labelled text, or folders of them."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write; a result that is there is never replaced. Default: runs/score, runs/score-2 and so "
            "on; runs/rating-kit for a rating kit."
        ),
    ] = None,
    column: Columns = None,
    encoding: Encoding = None,
    codes: Annotated[
        list[Path] | None, typer.Option(help="Use codes from this file, not the packaged coder's; repeat for more.")
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option(help="Only the session of this id, with a page of its own; repeat for more.")
    ] = None,
    accurate: Annotated[
        bool,
        typer.Option("--accurate", help="The accurate coder: better single codes, about 30 times as slow."),
    ] = False,
    alliance: Annotated[
        bool, typer.Option("--alliance", help="Also alliance from the text: goals, tasks, bond; slow.")
    ] = False,
    all_measures: Annotated[
        bool,
        typer.Option(
            "--all-measures", help="Show also what was not compared with human coders, and what is for MI only."
        ),
    ] = False,
    measure: OwnMeasures = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the unfinished run in --out; same inputs and options.")
    ] = False,
    workers: Workers = None,
    keep_text: Annotated[bool, typer.Option("--keep-text", help="Also keep what was said in turns.parquet.")] = False,
    no_redact: Annotated[
        bool,
        typer.Option("--no-redact", help="Keep names, emails, phone numbers and addresses in stored copies of text."),
    ] = False,
    judge: Annotated[
        str | None, typer.Option(help="A model that codes in place of the packaged coder where --admitted says so.")
    ] = None,
    admitted: Annotated[
        Path | None, typer.Option(help="admitted.json of `validate judge`: for which codes the judge may be used.")
    ] = None,
    max_calls: Annotated[int | None, typer.Option(min=1, help="Stop, resumable, after this many new calls.")] = None,
    rating_kit: Annotated[
        int | None, typer.Option(help="Instead of scoring, export this many blinded sessions for human raters.")
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(help="Read a rater's sheet back into the kit at PATH; repeat for each rater."),
    ] = None,
) -> None:
    """Score real transcripts by measures that need no hidden state, and compare groups.

    Writes a run folder with summary.html (one page), report.html, scores.csv (one row a session) and, when there are at
    most 30 sessions, a page for each. Ends with 3 when some
    files of a folder could not be read and the rest was scored.

    \b
    Examples:
      maieutic score sessions.csv --column session=id --column speaker=who --column text=words
      maieutic score transcripts/ --out runs/ours
      maieutic score transcripts/ --out runs/ours --resume
      maieutic score transcripts/ --out runs/ours --workers 8
      maieutic score sessions.csv --session 17 --out runs/one
      maieutic score sessions.csv --measure stage_order --measure my_measures.py:long_turns --out runs/mine
      maieutic score transcripts/ --judge http://localhost:8000/v1#my-model --admitted validation/judge/admitted.json
      maieutic score sessions.csv --rating-kit 20 --out runs/kit
      maieutic score runs/kit --ratings rater_A.csv --ratings rater_B.csv
    """
    from maieutic.runs.folder import free_folder
    from maieutic.scoring.score_run import ScoreOptions

    if ratings:
        if rating_kit is not None or len(paths) != 1:
            raise InputError("--ratings expects the folder of one kit as PATH, and no --rating-kit")
        wings.ratings_read(paths[0], ratings)
        return
    columns = read_columns(column)
    if rating_kit is not None:
        wings.ratings_ask(paths, rating_kit, out, columns, redact=not no_redact, encoding=encoding)
        return
    options = ScoreOptions(
        columns,
        tuple(codes or ()),
        tuple(session or ()),
        keep_text=keep_text,
        redact=not no_redact,
        accurate=accurate,
        alliance=alliance,
        encoding=encoding,
        all_measures=all_measures,
        measures=tuple(measure or ()),
    )
    out = out or free_folder(Path("runs/score"))
    spec = read_workers(workers)
    reader = check_both(judge, admitted)
    if reader is None:
        _score(paths, out, options, resume=resume, workers=spec)
        return
    if spec is not None or codes:
        raise InputError("--judge codes from this process; leave out --workers and --codes")
    with wings.judge_score(*reader, out, options, max_calls) as coder:
        _score(paths, out, options, resume=resume, workers=None, predict=coder)


def _score(
    paths: list[Path],
    out: Path,
    options: ScoreOptions,
    *,
    resume: bool,
    workers: WorkersSpec | None,
    predict: Predict | None = None,
) -> None:
    from maieutic.scoring.score import score_paths
    from maieutic.scoring.score_run import sessions_kept
    from maieutic.scoring.summary import format_table

    def kept() -> str:
        done = sessions_kept(out)
        told = f"{done:,} scored sessions are kept. Go on with the same command, --out {out} and --resume"
        return f". {told if done else 'Nothing was kept.'}"

    with stoppable(kept), watched("sessions") as progress:
        spread = None if workers is None else wings.workers_score(workers)
        summary = score_paths(
            paths, out=out, options=options, resume=resume, progress=progress, spread=spread, predict=predict
        )
    screen().print(format_table(summary))
    if summary.unread:
        files = "1 file" if len(summary.unread) == 1 else f"{len(summary.unread)} files"
        tell(f"{files} could not be read; the rest is done. The reasons stand above and in the report")
        raise typer.Exit(FAILED)
