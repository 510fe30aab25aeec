"""The work of `maieutic code`: puts codes on every utterance of a file, or of every file in a folder, with a record of
those that are done, so that a break costs one file at most."""

from __future__ import annotations

import importlib.metadata
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from maieutic.coding.book import Coding, Scheme, SchemeCoder
from maieutic.coding.schemes import get_scheme
from maieutic.errors import InputError, UnreadableFile
from maieutic.runs.journal import Checkpoint
from maieutic.runs.work import Watch
from maieutic.scoring.coding_run.output import CodedWriter, Tally, code_columns, holds_codes, holds_codes_of
from maieutic.scoring.coding_run.window import CannotResume, coded_rows
from maieutic.transcripts.json_files import is_corpus
from maieutic.transcripts.layout import Asked, check_columns
from maieutic.transcripts.opening import READABLE, Unread, open_source, passed_over
from maieutic.transcripts.opening import inside as below
from maieutic.transcripts.source import Source, Survey
from maieutic.transcripts.text_file import check_name
from maieutic.transcripts.utterance import SPEAKERS, Utterance

RECORD = ".coded.jsonl"
"""Lies in an output folder: files that are done, with what their codes depend on, and those that failed, with why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done(Tally):
    """One coded file.

    Attributes:
        name: Name of the input.
        note: What its codes depend on.
        out: Name of the coded file, relative to the folder.
        learnt: The training file that it equals, or None.
        told: What must be known of how it was read: its encoding, lines that were skipped.
    """

    name: str
    note: Mapping[str, Any]
    out: str
    learnt: str | None
    told: Sequence[str] = ()


def inside(folder: Path, out: Path) -> list[tuple[Path, str, str]]:
    """The files and corpora below a folder, sorted, each with its name and the name of its coded file.

    Hidden files, what lies in the output folder, and JSON files that are no list are left out.
    """
    found = []
    for path in below(folder, READABLE, leave_out=out.resolve()):
        name = path.relative_to(folder).as_posix()
        suffix = path.suffix.lower()
        target = name if suffix in (".csv", ".parquet") else f"{name}.convokit.csv" if path.is_dir() else f"{name}.csv"
        found.append((path, name, target))
    return found


WRITABLE = (".csv", ".parquet")
_MECHANISMS = {"emotional-reactions": "er", "interpretations": "ip", "explorations": "ex"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedSummary(Tally):
    """What was coded.

    Attributes:
        out: The file or folder that was written.
        coder: Name of the coder.
        files: Number of files coded, those kept from an earlier run among them.
        kept: Files that an earlier run had finished.
        resumed: Rows whose codes an interrupted run had left.
        failed: Files of a folder that could not be coded; where there are any, the command ends with 3.
        in_training: Files that the coder was trained on, by name, with the name of the training file: their codes are
            no evidence of how well it codes.
        notes: What must be known of how files were read: encodings, lines that were skipped.
    """

    out: Path
    coder: str = ""
    files: int = 1
    kept: int = 0
    resumed: int = 0
    failed: tuple[Unread, ...] = ()
    in_training: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Job:
    """What is the same for every file."""

    coder: SchemeCoder
    asked: Asked

    def note(self, source: Source) -> dict[str, Any]:
        """What the codes of a file depend on."""
        return {
            "format": 1,
            "version": importlib.metadata.version("maieutic"),
            "sha256": source.sha256,
            "scheme": self.coder.scheme.id,
            "coder": self.coder.name,
            "weights": str(getattr(self.coder, "weights_hash", "")),
            "columns": dict(self.asked.columns),
            "speaker": self.asked.speaker,
            "encoding": self.asked.encoding,
        }


def code_file(  # one argument for each option of the command
    path: Path,
    *,
    scheme: str,
    out: Path,
    columns: Mapping[str, str] | None = None,
    speaker: str | None = None,
    coder: SchemeCoder | None = None,
    progress: Watch | None = None,
    encoding: str | None = None,
) -> CodedSummary:
    """Codes every therapist and client utterance of a file or a folder under a published scheme.

    Writes every input column (one that has the name of a new column gets the suffix `_input`), then `predicted`
    (several codes joined by `|`), `abstain`, `predicted_<facet>`, `p_<label>` for each label of both speakers,
    `p_<facet>_<value>`, and `not_coded_because` for rows that are nobody's, hold no text, or whose speaker the scheme
    does not code. Rows that repeat an utterance of a session (several annotators) are coded once and filled alike.
    Chats, ConvoKit corpora and labelled text become one row an utterance: session, index, speaker, text.

    Rows are read in order and written as their session ends; a session is held only while it is read, and one of more
    than 2,000 utterances is coded in pieces that see the fifty utterances before them. An interrupted run is taken up
    by calling again with the same arguments.

    Args:
        path: CSV, TSV, Parquet, JSON lines, JSON list, labelled text, a ConvoKit corpus, or a folder of such files;
            the published research sets are recognised by their columns.
        scheme: Name of the code book.
        out: CSV or Parquet file, by its suffix; for a folder, the folder to write one coded file each into (Parquet for
            Parquet, CSV for all others). A file is written beside and moved into place when whole.
        columns: Column names by role (session, speaker, text) and speaker names (therapist, client).
        speaker: Who speaks in every row, for a table without a speaker column.
        coder: Codes the utterances; by default the packaged one of the scheme.
        progress: Called now and then.
        encoding: Of texts that are not UTF-8; found out where it is not given.

    Raises:
        InputError: The scheme, an option, the input or the name of the output cannot be used.
        StorageError: The output cannot be written.
    """
    path, out = Path(path), Path(out)
    book = get_scheme(scheme)
    asked = rows_asked(columns, speaker, encoding)
    if coder is not None and coder.scheme.id != book.id:
        raise InputError(f"the coder {coder.name} follows {coder.scheme.id!r}, but --scheme {book.id} was asked for")
    if not path.exists():
        raise UnreadableFile(f"{path}: no such file")
    is_folder = path.is_dir() and not is_corpus(path)
    if is_folder and (out.is_file() or out.suffix.lower() in WRITABLE):
        raise InputError(f"--out {out}: {path} is a folder; expected the name of a folder")
    if not is_folder and out.suffix.lower() not in WRITABLE:
        raise InputError(f"--out {out}: expected a file name that ends in .csv or .parquet")
    if out.exists() and out.samefile(path):
        raise InputError(f"--out {out} is the input itself; choose another name")
    if out.is_file() and not holds_codes(out):
        raise InputError(f"--out {out}: this file is there already and holds no codes; choose another name")
    watch = progress or (lambda done, total, name: None)
    if is_folder:
        return _folder(path, out, _Job(coder or _packaged(scheme), asked), watch)
    source = open_source(path, path.name, asked)
    if out.is_file():
        first = next((row for _, row, _ in source.lines()), {})
        if not holds_codes_of(out, source.columns, source.survey().rows, first):
            raise InputError(
                f"--out {out}: this file holds codes of another file than {path.name}; choose another name"
            )
    job = _Job(coder or _packaged(scheme), asked)
    done, resumed = _one(source, out, job, watch)
    return _summary([done], out, job, resumed=resumed)


def rows_asked(columns: Mapping[str, str] | None, speaker: str | None, encoding: str | None = None) -> Asked:
    """What is asked of the files to code. Raises `InputError` for a column key, speaker or encoding that there is
    not."""
    chosen = check_columns(columns)
    everyone = next((one for one in SPEAKERS if one == speaker), None)
    if speaker is not None and everyone is None:
        raise InputError(f"--speaker {speaker!r}: expected therapist or client")
    bolt = get_scheme("bolt")
    codes = {label.id: one for one in SPEAKERS for label in bolt.labels(one)}
    return Asked(chosen, speaker=everyone, encoding=check_name(encoding), codes=codes)


def speakers_known(source: Source) -> Survey:
    """What a first reading found. Raises `UnreadableFile` where no speaker is known, since nothing could be coded."""
    found = source.survey()
    if not found.known:
        names = ", ".join(f"{name!r} (line {line})" for name, line in found.strangers.items())
        options = " ".join(
            f"--column {shlex.quote(f'{role}={name}')}" for role, name in zip(SPEAKERS, found.strangers, strict=False)
        )
        raise UnreadableFile(
            f"{source.name}, column {source.layout.speaker or ''!r}: none of the speakers is known as therapist or "
            f"client: {names}. Add {options}, or the other way round"
        )
    return found


def _packaged(scheme: str) -> SchemeCoder:
    from maieutic.coding.embedded import coder_for

    return coder_for(scheme, hears=True)


def _one(source: Source, out: Path, job: _Job, watch: Watch) -> tuple[Done, int]:
    found = speakers_known(source)
    book = job.coder.scheme
    mechanism = next((one for name, one in _MECHANISMS.items() if name in source.name.lower()), None)
    columns = code_columns(book, mechanism if book.id == "epitome" else None)
    types = source.types or dict.fromkeys(source.columns)
    writer = CodedWriter(out, job.note(source), columns, types)
    resumed = writer.rows
    try:
        tally = _fill(writer, source, job, found, watch)
    except CannotResume:
        resumed = writer.start_over()
        tally = _fill(writer, source, job, found, watch)
    kept = () if writer.earlier is None else (f"the earlier {out.name} differed and is kept as {writer.earlier.name}",)
    training: Mapping[str, str] = getattr(job.coder, "training_files", {})
    done = Done(
        **asdict(replace(tally, sessions=found.sessions, cleaned=found.cleaned)),
        name=source.name,
        note=job.note(source),
        out=out.name,
        learnt=training.get(source.sha256),
        told=(*source.told, *kept),
    )
    return done, resumed


def _fill(writer: CodedWriter, source: Source, job: _Job, found: Survey, watch: Watch) -> Tally:
    rows = found.rows
    watch(writer.rows, rows, source.name)
    try:
        for coded in coded_rows(source, job.coder, found, skip=writer.rows):
            if writer.add(coded) or coded.number % 100 == 0:
                watch(coded.number + 1, rows, source.name)
    except CannotResume:
        raise
    except BaseException:
        # Whatever broke in, Ctrl-C included: what is coded stays coded.
        writer.flush()
        raise
    tally = writer.finish()
    watch(rows, rows, source.name)
    return tally


def _folder(path: Path, out: Path, job: _Job, watch: Watch) -> CodedSummary:
    files = inside(path, out)
    if not files:
        raise InputError(f"nothing to code in {path}; expected tables, chats or transcripts")
    record = Checkpoint(out / RECORD, "name", lambda line: None if "failed" in line else Done(**line))
    done: list[Done] = []
    failed = passed_over(path, leave_out=out)
    kept = resumed = 0
    for number, (file, name, target) in enumerate(files):
        watch(number, len(files), name)

        def within(rows: int, total: int, of: str, number: int = number) -> None:
            watch(number, len(files), f"{of} ({rows:,} of {total:,} rows)")

        try:
            source = open_source(file, name, job.asked)
            earlier = record.found.get(name)
            if earlier is not None and earlier.note == job.note(source) and (out / earlier.out).is_file():
                done.append(earlier)
                kept += 1
                continue
            one, taken_up = _one(source, out / target, job, within)
        except InputError as error:
            failed.append(Unread(name, str(error)))
            record.write({"name": name, "failed": str(error)})
            continue
        one = replace(one, out=target)
        done.append(one)
        resumed += taken_up
        record.write(asdict(one))
    record.close()
    watch(len(files), len(files), "")
    if not done:
        raise UnreadableFile("none of the files could be coded. " + "; ".join(one.reason for one in failed[:3]))
    return _summary(done, out, job, resumed=resumed, kept=kept, failed=tuple(failed))


def _summary(
    done: list[Done], out: Path, job: _Job, *, resumed: int, kept: int = 0, failed: tuple[Unread, ...] = ()
) -> CodedSummary:
    return CodedSummary(
        **Tally.total(done),
        out=out,
        coder=job.coder.name,
        files=len(done),
        kept=kept,
        resumed=resumed,
        failed=failed,
        in_training={one.name: one.learnt for one in done if one.learnt},
        notes=tuple(f"{one.name}: {told}" for one in done for told in one.told),
    )


class _Lister:
    """Takes the place of a coder and keeps what it is asked."""

    name = "lister"

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.asked: list[list[Utterance]] = []

    def predict(self, dialogue: Sequence[Utterance]) -> list[Coding]:
        self.asked.append(list(dialogue))
        return [Coding((), {}, True)] * len(dialogue)

    def judge_table(self, dialogues: Sequence[Sequence[Utterance]]) -> list[list[Coding]]:
        return [self.predict(one) for one in dialogues]


def dialogues_to_code(
    path: Path,
    *,
    scheme: str,
    columns: Mapping[str, str] | None = None,
    speaker: str | None = None,
    encoding: str | None = None,
) -> Iterator[list[Utterance]]:
    """The dialogues that `code_file` would hand to a coder with these arguments, one after another.

    Files of a folder that cannot be read are passed over; `code_file` names them. Sessions of more than 2,000
    utterances come in pieces that repeat the fifty utterances before them.

    Raises:
        InputError: The scheme, an option or the one file that was named cannot be used.
    """
    path, book, asked = Path(path), get_scheme(scheme), rows_asked(columns, speaker, encoding)
    is_folder = path.is_dir() and not is_corpus(path)
    files = [(file, name) for file, name, _ in inside(path, path / "-")] if is_folder else [(path, path.name)]
    for file, name in files:
        lister = _Lister(book)
        try:
            source = open_source(file, name, asked)
            for _ in coded_rows(source, lister, speakers_known(source)):
                yield from lister.asked
                lister.asked.clear()
        except InputError:
            if not is_folder:
                raise
