"""What a long run has done so far, a JSON line each: a stop loses at most what is in flight, and `--resume` goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import orjson

from maieutic.errors import StorageError, why

Item = TypeVar("Item")


class KeptLines(Generic[Item]):
    """Items by name, in the order they came.

    Attributes:
        path: The file. found: What it holds.
    """

    def __init__(self, path: Path, name: str, read: Callable[[Mapping[str, Any]], Item], *, resume: bool) -> None:
        """Open `path`; what is there is taken over with `resume` and thrown away without. Raises `StorageError`.

        Args:
            name: The field of a line that names its item.
            read: Makes the item of a line; a line for which it raises KeyError or TypeError is passed over.
        """
        self.path = path
        self.found: dict[str, Item] = {}
        self._name, self._read = name, read
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if resume and path.is_file():
                content = path.read_bytes()
                self._take(content.splitlines())
                if content and not content.endswith(b"\n"):  # a stop cut the last line short; the next begins anew
                    with path.open("ab") as out:
                        out.write(b"\n")
            else:
                path.write_bytes(b"")
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {why(error)}") from error

    def _take(self, lines: Sequence[bytes]) -> None:
        for line in lines:
            try:
                entry = orjson.loads(line)
                self.found[entry[self._name]] = self._read(entry)
            except (orjson.JSONDecodeError, KeyError, TypeError):
                continue  # a line that a stop cut short, or of another form, is done again

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append a line. Raises `StorageError`."""
        try:
            with self.path.open("ab") as out:
                out.write(orjson.dumps(entry) + b"\n")
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {why(error)}") from error
