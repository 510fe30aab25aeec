"""What a run of `score` was asked for, the plan by which `--resume` knows that it goes on with the same run, and its
folder: an append-only record, one line a session, so that a kill loses at most the session in flight, and what is
written into place at the end, so that a failure harms nothing."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from maieutic.errors import RunFolderError, StorageError, UnreadableFile, why
from maieutic.runs.folder import MANIFEST, free_folder, read_manifest, refuse_changed, refuse_filled
from maieutic.runs.journal import Journal, entries, packed
from maieutic.transcripts.opening import Unread
from maieutic.transcripts.source import Source

SEED = 0
_PACKAGES = ("maieutic", "numpy", "polars", "phonenumbers")


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """Options of `score`.

    Attributes:
        columns: Column names by key (session, speaker, text, group) and speaker names by role (therapist, client).
        codes: Files with codes to use instead of a coder's.
        sessions: Ids of the sessions to score; empty means all.
        keep_text: Also write what was said into turns.parquet; off, since transcripts are private.
        redact: Take names, emails, phone numbers and addresses out of every copy of text that is kept.
        accurate: Use the accurate coder instead of the fast one. Over whole sessions the two give much the same rates,
            and the quality score was fitted on the fast coder's codes.
        alliance: Also compute the measures of alliance, which need sentence vectors and are slow.
        encoding: Encoding of texts that are not UTF-8; found out where it is not given.
        all_measures: Pages and the terminal also show what was not held against human codes, and what only
            motivational interviewing knows; scores-all.csv holds all of it in any case.
        measures: Measures besides, by id or `FILE.py:NAME`; pages show them.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    codes: tuple[Path, ...] = ()
    sessions: tuple[str, ...] = ()
    keep_text: bool = False
    redact: bool = True
    accurate: bool = False
    alliance: bool = False
    encoding: str | None = None
    all_measures: bool = False
    measures: tuple[str, ...] = ()

    @property
    def every(self) -> bool:
        """Whether all measures are shown; who asks for alliance wants to see it."""
        return self.all_measures or self.alliance

    @property
    def names(self) -> tuple[str, ...]:
        """Names of speakers that the user gave."""
        return tuple(self.columns[role] for role in ("therapist", "client") if role in self.columns)


def make_plan(
    sources: Sequence[Source], unread: Sequence[Unread], options: ScoreOptions, *, coder: str, measures: Sequence[str]
) -> dict[str, Any]:
    """What must be equal for a run to go on, as JSON holds it."""
    return {
        "inputs": {one.name: one.sha256 for one in sources},
        "not read": sorted(one.name for one in unread),
        "codes": {path.name: hash_file(path) for path in options.codes},
        "options": {name: value for name, value in asdict(options).items() if name not in ("codes", "measures")}
        | {"sessions": sorted(options.sessions)}
        | ({"asked": {spec: _file_hash(spec) for spec in options.measures}} if options.measures else {}),
        "coder": coder,
        "measures": list(measures),
        "seed": SEED,
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}


def _file_hash(spec: str) -> str:
    """Of the file that holds a measure; '' for one that is known by its id."""
    path, _, _ = spec.rpartition(":")
    return hash_file(Path(path)) if path.endswith(".py") else ""


def hash_file(path: Path) -> str:
    """The sha256 of a file, read in pieces."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UnreadableFile(f"{path.name}: cannot be opened ({error.strerror})") from error


KIND = "score"
PAGES = "sessions"
JOURNAL = "journal"
STAGING = ".score-unfinished"


def check_folder(out: Path) -> None:
    """Refuses a folder that holds a result, of whatever kind, or anything else that is not ours: nothing is ever
    replaced."""
    if not (out / MANIFEST).exists():
        if not _is_begun(out):
            refuse_filled(out, kind=KIND, own=(STAGING,))
        return
    kind, free = read_manifest(out).get("kind"), free_folder(out)
    if kind != KIND:
        raise RunFolderError(f"{out} holds a run of kind {kind!r}; choose another --out for {KIND!r}, such as {free}")
    raise RunFolderError(
        f"{out} holds an earlier result, which is not replaced; choose another --out, such as {free}, or "
        f"read {out}/report.html"
    )


def _is_begun(out: Path) -> bool:
    """A run was begun here, if only by a moment: a kill can fall before its plan is whole."""
    journal = out / JOURNAL
    return journal.is_dir() and {one.name for one in journal.iterdir()} <= {_LINES, PAGES}


_LINES = "sessions.jsonl"


class ScoreJournal:
    """The plan of a run, then the sessions that are done, in the order of the inputs, a line each. Texts are in it only
    where the run keeps texts.

    Attributes:
        folder: Where the journal lies, inside the run folder.
        done: Number of sessions in it.
    """

    def __init__(self, out: Path, plan: Mapping[str, Any], *, resume: bool) -> None:
        """The journal of a run folder; `with` opens it.

        Args:
            out: The run folder.
            plan: Inputs, options and versions: what must be equal for a run to go on.
            resume: Go on with the sessions that are there; without any, begin.

        Raises:
            RunFolderError: an unfinished run is there and `resume` was not asked for, or it is of another plan.
            StorageError: the folder cannot be read, or, at `with`, written.
        """
        self.folder = out / JOURNAL
        self._header = json.dumps(plan, sort_keys=True).encode() + b"\n"
        self.done = 0
        try:
            self._is_new_folder = not out.exists()
            before = _first_line(self.folder / _LINES)
        except OSError as error:
            raise StorageError(f"cannot read {self.folder} ({why(error)})") from error
        self._goes_on = before is not None
        if before is not None:
            self._check(before, plan, resume)

    def __enter__(self) -> Self:
        try:
            self._journal = Journal(self.folder / _LINES, header=self._header)
            self.done = sessions_kept(self.folder.parent)
        except RunFolderError:  # another process has it
            raise
        except BaseException as error:  # Ctrl-C too
            if not self._goes_on:  # or the next run would be refused for an unfinished one
                self.discard()
            if isinstance(error, OSError):
                raise self._failed(error) from error
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._journal.close()
        if self.done == 0 and kind is not None:
            self.discard()

    def add_page(self, name: str, page: str) -> None:
        """Keeps the page of one session until the run is whole."""
        folder = self.folder / PAGES
        try:
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(page, encoding="utf-8")
        except OSError as error:
            raise self._failed(error) from error

    def add(self, line: Mapping[str, Any]) -> None:
        """Records one session; the line reaches the operating system before the call returns."""
        self._journal.write(packed(line))
        self.done += 1

    def lines(self) -> Iterator[dict[str, Any]]:
        """All sessions, one after another."""
        return entries(self.folder / _LINES, dict, damaged=self._damaged, header=self._header)

    def _damaged(self, number: int) -> RunFolderError:
        return RunFolderError(f"{_LINES}, line {number} is damaged; delete {self.folder} and start again")

    def discard(self) -> None:
        """Removes the journal, and the run folder where it holds nothing else."""
        shutil.rmtree(self.folder, ignore_errors=True)
        out = self.folder.parent
        if self._is_new_folder and out.is_dir() and not any(out.iterdir()):
            out.rmdir()

    def _failed(self, error: OSError) -> StorageError:
        return StorageError(
            f"cannot write to {self.folder} ({why(error)}); earlier results are untouched, and the {self.done} "
            "sessions that are done are kept: free some space and add --resume"
        )

    def _check(self, line: bytes, plan: Mapping[str, Any], resume: bool) -> None:
        if not resume:
            raise RunFolderError(
                f"{self.folder.parent} holds a run that did not finish; add --resume to go on with it, choose another "
                f"--out, or delete {self.folder} to start again"
            )
        try:
            before = json.loads(line)
        except ValueError as error:
            raise self._damaged(1) from error
        refuse_changed(self.folder.parent, before, plan, advice="Go on with the same inputs and options")


def _first_line(path: Path) -> bytes | None:
    """The whole first line of a file; None where there is none."""
    if not path.is_file():
        return None
    with path.open("rb") as lines:
        line = lines.readline()
    return line if line.endswith(b"\n") else None


def sessions_kept(out: Path) -> int:
    """Sessions in the journal of an unfinished run; 0 where there is none."""
    path = out / JOURNAL / _LINES
    if not path.is_file():
        return 0
    with path.open("rb") as lines:
        return max(0, sum(line.endswith(b"\n") for line in lines) - 1)
