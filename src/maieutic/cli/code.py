"""`maieutic code`: behaviour coding of utterances under a published scheme, by a packaged coder or by a language
model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from maieutic.cli import wings
from maieutic.cli.options import Columns, Encoding, Workers, read_columns, read_workers
from maieutic.cli.screen import say, watched
from maieutic.errors import InputError
from maieutic.runs.work import stoppable

if TYPE_CHECKING:
    from maieutic.coding.book import SchemeCoder
    from maieutic.scoring.coding_run.run import CodedSummary

FAILED = 3
_MAX_TOLD = 10


def code(
    path: Annotated[Path, typer.Argument(help="A table, chat, ConvoKit corpus or labelled text, or a folder of them.")],
    scheme: Annotated[str, typer.Option(help="annomi, misc, bolt, socratic, epitome, appropriateness or feedback.")],
    out: Annotated[Path, typer.Option(help="CSV or Parquet file to write; a folder for a folder.")],
    column: Columns = None,
    encoding: Encoding = None,
    speaker: Annotated[str | None, typer.Option(help="therapist or client, for a table without speakers.")] = None,
    fast: Annotated[bool, typer.Option("--fast", help="The fast coder instead of the accurate one.")] = False,
    before_only: Annotated[
        bool,
        typer.Option(
            "--before-only", help="Read nothing said after an utterance: for codes of a session still going on."
        ),
    ] = False,
    coder: Annotated[
        str | None, typer.Option(help="A language model as the coder, such as http://localhost:8000/v1#my-model.")
    ] = None,
    samples: Annotated[int, typer.Option(help="Answers of the language model for each utterance.")] = 3,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what the model would cost, and stop.")] = False,
    max_calls: Annotated[int | None, typer.Option(help="Stop, resumable, after this many model calls.")] = None,
    workers: Workers = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on where an interrupted run stopped. Done without being asked too, when input and options are "
            "the same.",
        ),
    ] = False,
) -> None:
    """Code utterances under a published scheme: every input column, plus `predicted` and `p_<label>`.

    Ends with 3 when some files of a folder could not be coded and the rest was.

    \b
    Examples:
      maieutic code sessions.csv --scheme annomi --out coded.csv
      maieutic code transcripts/ --scheme socratic --out coded --resume
      maieutic code sessions.csv --scheme annomi --before-only --out for-sequences.csv
      maieutic code transcripts/ --scheme annomi --out coded --workers 8
      maieutic code replies.csv --scheme bolt --speaker therapist --out coded.parquet
      maieutic code sessions.csv --scheme misc --coder http://localhost:8000/v1#my-model --dry-run --out coded.csv
    """
    reading: dict[str, Any] = {"columns": read_columns(column), "speaker": speaker, "encoding": encoding}
    if coder is None:
        if dry_run or max_calls is not None:
            raise InputError("--dry-run and --max-calls are for a language model; name one with --coder")
        packaged, spec = _packaged(scheme, fast=fast, before_only=before_only), read_workers(workers)
        if spec is None:
            _run(path, scheme, out, reading, packaged)
            return
        with wings.workers_code(spec, packaged, (scheme, fast, before_only), path, reading) as spread:
            _run(path, scheme, out, reading, spread)
        return
    if workers is not None:
        raise InputError(
            "--workers spreads the packaged coders; a language model is asked many things at once from here"
        )
    if fast or before_only:
        raise InputError("--fast and --before-only choose among the packaged coders; leave them out with --coder")
    if samples < 1:
        raise InputError(f"--samples must be 1 or more, got {samples}")
    journal = None if dry_run and not _journal(out).is_file() else _journal(out)
    with wings.judge_code(path, coder, scheme, samples, max_calls, journal, **reading) as judge:
        if not dry_run:
            # `code_file` takes a reason in place of a code, which the judge gives where it has none.
            _run(path, scheme, out, reading, judge)


def _packaged(scheme: str, *, fast: bool, before_only: bool) -> SchemeCoder:
    from maieutic.coding.embedded import coder_for

    return coder_for(scheme, tier="fast" if fast else "accurate", before_only=before_only, hears=not fast)


def _journal(out: Path) -> Path:
    """Answers of the model lie beside the output, so that none is asked for twice."""
    return out.with_name(f".{out.name}.answers.jsonl")


def _run(path: Path, scheme: str, out: Path, reading: dict[str, Any], coder: SchemeCoder) -> None:
    from maieutic.scoring.coding_run.output import anything_kept
    from maieutic.scoring.coding_run.run import code_file

    def kept() -> str:
        if anything_kept(out) or _journal(out).is_file():
            return ". What is coded is kept; the same command goes on from there"
        return " before anything was coded. Nothing was kept"

    with stoppable(kept), watched("files" if path.is_dir() else "rows") as progress:
        summary = code_file(path, scheme=scheme, out=out, coder=coder, progress=progress, **reading)
    for line in _told(summary):
        say(line, whole=True)
    if summary.failed:
        raise typer.Exit(FAILED)


def _told(summary: CodedSummary) -> list[str]:
    from maieutic.reading.plain import in_words

    lines = [f"{summary.coded:,} of {summary.rows:,} rows coded by {summary.coder}; written to {summary.out}"]
    if summary.coded:
        lines.append(
            f"The coder is unsure of {summary.abstained:,} rows: `abstain` is true there; look at them yourself and "
            "write another label, or false where it is right"
        )
    lines += [f"Not coded: {count:,} × {reason}" for reason, count in sorted(summary.not_coded.items())[:_MAX_TOLD]]
    if summary.cleaned:
        lines.append(f"Made plain before it was coded: {in_words(summary.cleaned, 'rows')}")
    lines += [f"Note: {note}" for note in summary.notes[:_MAX_TOLD]]
    if summary.kept or summary.resumed:
        lines.append(f"From an earlier run: {summary.kept:,} files, {summary.resumed:,} rows")
    for name, known in list(summary.in_training.items())[:_MAX_TOLD]:
        lines.append(
            f"In-sample: {name} is {known}, on which the coder was trained; its codes look better than on new data"
        )
    lines += [f"Failed: {one.name}: {one.reason}" for one in summary.failed]
    return lines
