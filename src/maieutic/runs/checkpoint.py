"""What a long run has done so far, by name: a stop loses at most what is in flight, and `--resume` goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from maieutic.errors import StorageError, why
from maieutic.runs.journal import Damaged, Journal, entries, packed

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
