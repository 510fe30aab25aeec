"""Runs tasks on all cores and keeps what each gave, a line a task, so that a stop loses only what is in flight."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from maieutic.errors import RunFolderError
from maieutic.gap.family import SamplePlan
from maieutic.runs.journal import Checkpoint
from maieutic.runs.work import Watch
from maieutic.workers import mapped


@dataclass(frozen=True, slots=True)
class Task:
    """One battery of one therapist.

    Attributes:
        key: Its name, no other task's.
        made_of: What the therapist is made of, as who runs the task takes it.
        families: By id. extent: How much of each.
    """

    key: str
    made_of: tuple[Any, ...]
    families: tuple[str, ...]
    extent: SamplePlan


Row = TypeVar("Row")


def run_tasks(
    work: Sequence[Task],
    do: Callable[[Task], list[Row]],
    path: Path,
    *,
    plain: Callable[[Row], Mapping[str, Any]],
    made: Callable[..., Row],
    resume: bool,
    tick: Watch,
) -> tuple[Row, ...]:
    """The rows of all tasks, in the order of the tasks.

    Args:
        do: A function of a module, for it is called in other processes.
        path: Where the rows go as they come; what is there is not made again with `resume`.
        plain, made: A row as plain data, and back from it by keywords.
        tick: Told (done, of all, key) at the start, from which the time left is reckoned, with the key of the first
            that is not done, and after every task with its own.

    Raises:
        RunFolderError: `path` holds rows and `resume` is off, or they are of another version, extent or choice of
            families.
        StorageError: it cannot be written.
    """
    kept = _kept(path, work, made, resume=resume)
    done = kept.found
    waiting = [task for task in work if task.key not in done]
    if waiting:
        tick(len(done), len(work), waiting[0].key)

    def came(place: int, rows: list[Row]) -> None:
        task = waiting[place]
        done[task.key] = rows
        kept.write({"stamp": _stamp(task), "key": task.key, "rows": [plain(row) for row in rows]})
        tick(len(done), len(work), task.key)

    mapped(do, waiting, came)
    return tuple(row for task in work for row in done[task.key])


def _stamp(task: Task) -> dict[str, object]:
    return {"maieutic": version("maieutic"), "families": list(task.families), "extent": repr(task.extent)}


def _kept(path: Path, work: Sequence[Task], made: Callable[..., Row], *, resume: bool) -> Checkpoint[list[Row]]:
    if path.is_file() and path.stat().st_size and not resume:
        raise RunFolderError(
            f"{path.parent} already holds a run; add --resume to go on with it, or choose another --out"
        )
    stamps = {task.key: _stamp(task) for task in work}

    def read(record: Mapping[str, Any]) -> list[Row]:
        if record["stamp"] != stamps.get(record["key"], record["stamp"]):
            raise RunFolderError(f"{path.parent} holds a run of another version, extent or choice of families")
        return [made(**row) for row in record["rows"]]

    return Checkpoint(path, "key", read, resume=resume)
