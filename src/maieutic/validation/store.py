"""Rows on disk while a long validation runs: a stop loses at most the batches in flight, and `--resume` goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib.metadata import version
from pathlib import Path

from maieutic.library import case_hash, get_case
from maieutic.runs.checkpoint import Checkpoint
from maieutic.validation.rows import Row
from maieutic.validation.worlds import Task


class RowStore:
    """Played tasks by what they were: case with its hash, arms, seeds, world with all its constants, package
    version."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        """Open `path`; what is there is taken over with `resume` and thrown away without. Raises `StorageError`."""
        self._kept = Checkpoint(path, "task", lambda entry: [_row(row) for row in entry["rows"]], resume=resume)

    def get(self, task: Task) -> list[Row] | None:
        """The rows of a task that was played before."""
        return self._kept.found.get(_name(task))

    def put(self, task: Task, rows: Sequence[Row]) -> None:
        """Keep the rows of a task. Raises `StorageError`."""
        self._kept.write({"task": _name(task), "rows": [asdict(row) for row in rows]})


def _name(task: Task) -> str:
    what = f"{version('maieutic')} {case_hash(get_case(task.case))} {task!r}"
    return hashlib.sha256(what.encode()).hexdigest()[:24]


def _row(data: dict[str, object]) -> Row:
    values = {f.name: data[f.name] for f in fields(Row)}
    return Row(**{name: tuple(v) if isinstance(v, list) else v for name, v in values.items()})  # type: ignore[arg-type]
