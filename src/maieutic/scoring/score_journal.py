"""The run folder of `score`: its append-only record, one line a session, so that a kill loses at most the session in
flight, and what is written into place at the end, so that a failure harms nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from maieutic.errors import RunFolderError, StorageError, why
from maieutic.runs.folder import MANIFEST, free_folder, read_manifest, refuse_changed, refuse_filled
from maieutic.runs.journal import Journal, entries, packed

KIND = "score"
PAGES = "sessions"
JOURNAL = "journal"
PLAN = "plan.json"
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
    return journal.is_dir() and (
        (journal / PLAN).is_file() or not {one.name for one in journal.iterdir()} - {f".{PLAN}"}
    )


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
        refuse_changed(self.folder.parent, before, plan, advice="Go on with the same inputs and options")


def sessions_kept(out: Path) -> int:
    """Sessions in the journal of an unfinished run; 0 where there is none."""
    path = out / JOURNAL / _LINES
    if not path.is_file():
        return 0
    with path.open("rb") as lines:
        return sum(line.endswith(b"\n") for line in lines)
