"""The run folder of `score`: its append-only record, one line a session, so that a kill loses at most the session in
flight, and what is written into place at the end, so that a failure harms nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from maieutic.errors import RunFolderError, StorageError, why
from maieutic.runs.folder import MANIFEST, changes, read_manifest
from maieutic.runs.journal import Journal, entries, packed

KIND = "score"
PAGES = "sessions"
JOURNAL = "journal"
PLAN = "plan.json"
STAGING = ".score-unfinished"
_NOBODYS = frozenset({STAGING, ".lock", ".DS_Store"})
_BLOCK = 5_000


def free_folder(first: Path) -> Path:
    """The first of 'score', 'score-2', 'score-3' … without a finished result."""
    first = first if first.name else first.resolve()
    numbered = (first if number == 1 else first.with_name(f"{first.name}-{number}") for number in count(1))
    return next(folder for folder in numbered if not (folder / MANIFEST).exists())


def check_folder(out: Path) -> None:
    """Refuses a folder that holds a result, of whatever kind, or anything else that is not ours: nothing is ever
    replaced."""
    if out.exists() and not out.is_dir():
        raise RunFolderError(f"{out} is a file; --out expects a folder")
    if not (out / MANIFEST).exists():
        if out.is_dir() and not _is_begun(out) and any(one.name not in _NOBODYS for one in out.iterdir()):
            raise RunFolderError(
                f"{out} is not empty and holds no result of {KIND!r}, so nothing is written among what is there; "
                f"choose another --out, such as {out / KIND}"
            )
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
    return journal.is_dir() and (
        (journal / PLAN).is_file() or not {one.name for one in journal.iterdir()} - {f".{PLAN}"}
    )


class RowSpool:
    """Collects rows and writes them as Parquet in blocks, so that memory does not grow with the number of sessions."""

    def __init__(self, path: Path, schema: Mapping[str, Any]) -> None:
        self._path = path
        self._schema = dict(schema)
        self._rows: list[tuple[Any, ...]] = []
        self._parts: list[Path] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._finish()

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Takes rows in the order of the schema's columns."""
        self._rows.extend(rows)
        if len(self._rows) >= _BLOCK:
            self._flush()

    def _flush(self) -> None:
        import polars as pl

        part = self._path.with_name(f"{self._path.name}.part{len(self._parts)}")
        with _storage():
            pl.DataFrame(self._rows, schema=self._schema, orient="row").write_parquet(part)
        self._parts.append(part)
        self._rows = []

    def _finish(self) -> None:
        import polars as pl

        if self._rows or not self._parts:
            self._flush()
        if len(self._parts) == 1:
            self._parts[0].replace(self._path)
            return
        with _storage():
            pl.scan_parquet(self._parts).sink_parquet(self._path)
        for part in self._parts:
            part.unlink()


@contextmanager
def _storage() -> Iterator[None]:
    """Polars reports some write errors in its own types; they are storage errors all the same."""
    import polars as pl

    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error).splitlines()[0] if str(error) else "a table could not be written") from error


_LINES = "sessions.jsonl"


class ScoreJournal:
    """Sessions that are done, in the order of the inputs. Texts are in it only where the run keeps texts.

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
        self._plan = json.loads(json.dumps(plan))
        try:
            self._is_new_folder = not out.exists()
            self._holds_others = sessions_kept(out) > 0
            self._goes_on = (self.folder / PLAN).is_file()
            if self._goes_on:
                self._check(self._plan, resume)
        except OSError as error:
            raise StorageError(f"cannot read {self.folder} ({why(error)})") from error
        self.done = 0

    def __enter__(self) -> Self:
        try:
            if not self._goes_on:
                self._begin()
            self._journal = Journal(self.folder / _LINES)
            self.done = sessions_kept(self.folder.parent)
        except OSError as error:
            self._take_back()
            raise StorageError(f"cannot write to {self.folder} ({why(error)})") from error
        except RunFolderError:  # another process has it
            raise
        except BaseException:  # Ctrl-C too
            self._take_back()
            raise
        return self

    def _take_back(self) -> None:
        """Removes what a run that begins has made, or the next would be refused for an unfinished one."""
        if self._goes_on:
            return
        with suppress(OSError):
            if not self._holds_others:
                self.discard()
            else:  # sessions without a plan are not this run's
                for name in (f".{PLAN}", PLAN):
                    (self.folder / name).unlink(missing_ok=True)

    def _begin(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        unfinished = self.folder / f".{PLAN}"
        unfinished.write_text(json.dumps(self._plan, indent=1, sort_keys=True), "utf-8")
        unfinished.replace(self.folder / PLAN)

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
        return entries(self.folder / _LINES, dict, damaged=self._damaged)

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

    def _check(self, plan: Mapping[str, Any], resume: bool) -> None:
        try:
            before = json.loads((self.folder / PLAN).read_text("utf-8"))
        except ValueError as error:
            raise RunFolderError(
                f"{self.folder / PLAN} cannot be read; delete {self.folder} and start again"
            ) from error
        if not resume:
            raise RunFolderError(
                f"{self.folder.parent} holds a run that did not finish; add --resume to go on with it, choose another "
                f"--out, or delete {self.folder} to start again"
            )
        if told := changes(before, plan):
            raise RunFolderError(
                f"{self.folder.parent} was begun with other inputs or options and cannot go on with these: "
                f"{'; '.join(told)}. Use the same command, or another --out"
            )


def sessions_kept(out: Path) -> int:
    """Sessions in the journal of an unfinished run; 0 where there is none."""
    path = out / JOURNAL / _LINES
    if not path.is_file():
        return 0
    with path.open("rb") as lines:
        return sum(line.endswith(b"\n") for line in lines)
