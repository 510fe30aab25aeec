"""The journal of a run: JSON lines that are only ever appended to, so that a kill loses at most what is in flight.

One rule for a last line that a kill cut short: a line is whole once its newline is there. What stands after the last
newline was never said: whoever reads passes over it, and whoever writes on cuts it off first.

One rule for who writes: a journal is one process's at a time, until it is closed or its process ends, however it ends.
A process may open one again, since what a stop left open there is let go only when it is collected; all its openings
hold the one lock, and the last to close lets it go."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import orjson

from maieutic.errors import StorageError, why
from maieutic.runs.files import hold

Entry = TypeVar("Entry")
Damaged = Callable[[int], Exception | None]
"""Told the number of a whole line that cannot be read: the error to raise, or None to pass over the line."""
GO_ON = "free some space and add --resume"
_BLOCK = 1 << 16
_HELD: weakref.WeakValueDictionary[tuple[int, ...], _Hold] = weakref.WeakValueDictionary()
"""What this process holds, by the file's number and its disk's."""


def packed(record: Mapping[str, Any]) -> bytes:
    """A record as a line of a journal."""
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)


class Journal:
    """Appends to one file. A line survives the process once `write` returns, and the machine once `sync` does.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path, *, header: bytes = b"", is_new: bool = False, go_on: str = GO_ON) -> None:
        """Opens the file behind its last whole line; without a file, begins one.

        Args:
            path: The file; its folder is made.
            header: First line of every such file. What an existing file begins with is not looked at: see `is_foreign`.
            is_new: Whether a file that is there already is an error.
            go_on: What to do after a line could not be written.

        Raises:
            RunFolderError: another process writes it.
            StorageError: it cannot be written.
        """
        self.path, self._go_on = path, go_on
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = path.open("xb" if is_new else "ab", buffering=_BLOCK)
            weakref.finalize(self, _shut, self._file)
            self._hold: _Hold | None = _held(self._file, path)
            if not is_new:
                _cut(path)
            is_empty = self._file.seek(0, os.SEEK_END) == 0
        except OSError as error:
            raise StorageError(f"cannot write to {path}: {why(error)}") from error
        if header and is_empty:
            self.write(header)

    def clear(self) -> None:
        """Throw away all that is in it. Raises `StorageError`."""
        try:
            self._file.truncate(0)
        except OSError as error:
            raise StorageError(f"cannot write to {self.path}: {why(error)}") from error

    def write(self, line: bytes) -> None:
        """Append a line that `packed` made, here or on another machine. Raises `StorageError`."""
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise StorageError(
                f"cannot write to {self.path}: {why(error)}. What is written is kept; {self._go_on}"
            ) from error

    def sync(self) -> None:
        """Wait until all lines are on the disk, where the file is on one."""
        with suppress(OSError):  # what could not be written was reported when it was tried
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Bring the lines to the disk and close the file."""
        self.sync()
        _shut(self._file)
        self._hold = None


def entries(path: Path, read: Callable[[Any], Entry], *, damaged: Damaged, header: bytes = b"") -> Iterator[Entry]:
    """What `read` makes of each whole line, in order; nothing where there is no file.

    Raises:
        OSError: the file cannot be read.
        Exception: what `damaged` gave for a line that is no JSON, or for which `read` raised KeyError, TypeError or
            ValueError; lines are counted from 1, the header among them.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        file.seek(len(header))
        for number, line in enumerate(file, start=2 if header else 1):
            if not line.endswith(b"\n"):
                return
            if line == b"\n":
                continue
            try:
                entry = read(orjson.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                told = damaged(number)
                if told is not None:
                    raise told from error
                continue
            yield entry


def is_foreign(path: Path, header: bytes) -> bool:
    """Whether a file begins with something else than `header`, or what a kill left of it. Raises `OSError`."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        begin = file.read(len(header))
    return not header.startswith(begin)


def _cut(path: Path) -> None:
    """Remove what stands after the last newline."""
    if not path.is_file():
        return
    with path.open("r+b") as file:
        size = end = file.seek(0, os.SEEK_END)
        while end > 0:
            begin = max(0, end - _BLOCK)
            file.seek(begin)
            found = file.read(end - begin).rfind(b"\n")
            if found >= 0:
                end = begin + found + 1
                break
            end = begin
        if end < size:
            file.truncate(end)


def _shut(file: BinaryIO) -> None:
    with suppress(OSError):
        file.close()


class _Hold:
    """The lock on a file: a second handle of the opening that took it, let go with the last journal that has it."""

    def __init__(self, file: BinaryIO) -> None:
        weakref.finalize(self, os.close, os.dup(file.fileno()))


def _held(file: BinaryIO, path: Path) -> _Hold:
    key = os.fstat(file.fileno())[1:3]
    found = _HELD.get(key)
    if found is None:
        hold(file, path)
        found = _HELD[key] = _Hold(file)
    return found


Item = TypeVar("Item")


class Checkpoint(Generic[Item]):
    """Items by name, in the order they came; on disk, a line each, where a file is named.

    The file is opened at once, so that one that cannot be written is told before any work.

    Attributes:
        path: The file; None keeps items in memory only.
        found: What it holds.
    """

    def __init__(
        self,
        path: Path | None,
        name: str,
        read: Callable[[Mapping[str, Any]], Item | None],
        *,
        resume: bool = True,
        damaged: Damaged = lambda _: None,
    ) -> None:
        """Take over what is in `path` with `resume`, and throw it away without.

        Args:
            name: The field of a line that names its item.
            read: Makes the item of a line; None for a line without one.
            damaged: What becomes of a line of another form, for which `read` raises KeyError, TypeError or ValueError:
                it is passed over, so that its item is made again, unless this gives an error to raise.

        Raises:
            RunFolderError: another process writes it.
            StorageError: it cannot be read or written.
        """
        self.path, self.found = path, dict[str, Item]()
        self._journal: Journal | None = None
        if path is None:
            return
        self._journal = Journal(path)
        if not resume:
            self._journal.clear()
        try:
            lines = entries(path, lambda line: (line[name], read(line)), damaged=damaged)
            self.found.update((key, item) for key, item in lines if item is not None)
        except OSError as error:
            raise StorageError(f"cannot read {path}: {why(error)}") from error

    def __len__(self) -> int:
        return len(self.found)

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append a line. Raises `StorageError`."""
        self.write_line(packed(entry))

    def write_line(self, line: bytes) -> None:
        """Append a line that `packed` made. Raises `StorageError`."""
        if self._journal is not None:
            self._journal.write(line)

    def close(self) -> None:
        """Bring the lines to the disk."""
        if self._journal is not None:
            self._journal.close()
