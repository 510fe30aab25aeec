"""Rows on disk while a long validation runs: a stop loses at most the batches in flight, and `--resume` goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib.metadata import version
from pathlib import Path

import orjson

from maieutic.errors import StorageError, why
from maieutic.library import case_hash, get_case
from maieutic.validation.rows import Row
from maieutic.validation.worlds import Task


class RowStore:
    """Played tasks by what they were: case with its hash, arms, seeds, world with all its constants, package version."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        """Open `path`; what is there is taken over with `resume` and thrown away without. Raises `StorageError`."""
        self.path = path
        self.found: dict[str, list[Row]] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if resume and path.is_file():
                self._read(path.read_bytes().splitlines())
            else:
                path.write_bytes(b"")
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {why(error)}") from error

    def _read(self, lines: Sequence[bytes]) -> None:
        for line in lines:
            try:
                entry = orjson.loads(line)
                self.found[entry["task"]] = [_row(row) for row in entry["rows"]]
            except (orjson.JSONDecodeError, KeyError, TypeError):
                continue  # a line that a stop cut short is played again

    def get(self, task: Task) -> list[Row] | None:
        """The rows of a task that was played before."""
        return self.found.get(_name(task))

    def put(self, task: Task, rows: Sequence[Row]) -> None:
        """Keep the rows of a task. Raises `StorageError`."""
        entry = orjson.dumps({"task": _name(task), "rows": [asdict(row) for row in rows]})
        try:
            with self.path.open("ab") as out:
                out.write(entry + b"\n")
        except OSError as error:
            raise StorageError(f"{self.path} cannot be written: {why(error)}") from error


def _name(task: Task) -> str:
    what = f"{version('maieutic')} {case_hash(get_case(task.case))} {task!r}"
    return hashlib.sha256(what.encode()).hexdigest()[:24]


def _row(data: dict[str, object]) -> Row:
    values = {f.name: data[f.name] for f in fields(Row)}
    return Row(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})  # type: ignore[arg-type]
