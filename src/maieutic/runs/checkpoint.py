"""What a long run has done so far, by name: a stop loses at most what is in flight, and `--resume` goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from maieutic.errors import StorageError, why
from maieutic.runs.journal import GO_ON, Damaged, Journal, entries, packed

Item = TypeVar("Item")


class Checkpoint(Generic[Item]):
    """Items by name, in the order they came; on disk, a line each, where a file is named.

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
        header: bytes = b"",
        go_on: str = GO_ON,
        at_once: bool = True,
    ) -> None:
        """Take over what is in `path` with `resume`, and throw it away without.

        Args:
            name: The field of a line that names its item.
            read: Makes the item of a line; None for a line without one.
            damaged: What becomes of a line of another form, for which `read` raises KeyError, TypeError or ValueError:
                it is passed over, so that its item is made again, unless this gives an error to raise.
            header, go_on: As `Journal` takes them.
            at_once: Whether the file is opened for writing now, so that one that cannot be written is told before any
                work, or at the first new line.

        Raises:
            RunFolderError: another process writes it.
            StorageError: it cannot be read or written.
        """
        self.path, self.found = path, dict[str, Item]()
        self._journal: Journal | None = None
        self._header, self._go_on = header, go_on
        if path is None:
            return
        if at_once:
            self._begin()
        if self._journal is not None and not resume:
            self._journal.clear()
        try:
            lines = entries(path, lambda line: (line[name], read(line)), damaged=damaged, header=header)
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
        self._begin()
        if self._journal is not None:
            self._journal.write(line)

    def _begin(self) -> None:
        if self._journal is None and self.path is not None:
            self._journal = Journal(self.path, header=self._header, go_on=self._go_on)

    def close(self) -> None:
        """Bring the lines to the disk."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
