"""What a long run has done so far, by name: a stop loses at most what is in flight, and `--resume` goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from maieutic.errors import StorageError, why
from maieutic.runs.journal import Journal, entries, packed

Item = TypeVar("Item")


class Checkpoint(Generic[Item]):
    """Items by name, in the order they came.

    Attributes:
        path: The file.
        found: What it holds.
    """

    def __init__(self, path: Path, name: str, read: Callable[[Mapping[str, Any]], Item], *, resume: bool) -> None:
        """Open `path`; what is there is taken over with `resume` and thrown away without. Raises `StorageError`.

        Args:
            name: The field of a line that names its item.
            read: Makes the item of a line; a line of another form, for which it raises KeyError, TypeError or
                ValueError, is passed over, so that its item is made again.
        """
        self.path = path
        self.found: dict[str, Item] = {}
        try:
            if resume:
                found = entries(path, lambda line: (line[name], read(line)), damaged=lambda _: None)
                self.found.update(found)
            elif path.exists():
                path.write_bytes(b"")
        except OSError as error:
            raise StorageError(f"cannot write to {path}: {why(error)}") from error
        self._journal = Journal(path)

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append a line. Raises `StorageError`."""
        self._journal.write(packed(entry))
