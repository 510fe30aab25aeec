"""Writes the run folder of `score`: everything beside the old files first, then into place, so that a failure harms
nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from maieutic.errors import RunFolderError
from maieutic.runs.folder import MANIFEST, read_manifest

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
