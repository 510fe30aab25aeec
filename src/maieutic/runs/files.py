"""Files and folders that are written whole or not at all, and the one lock on them."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

import orjson

from maieutic.errors import RunFolderError, StorageError, why

if TYPE_CHECKING:
    import polars as pl

_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS})
_BLOCK = 5_000
"""Rows that a spool holds in memory."""


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there, so that no half-written file is ever seen."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        kept = ""
        with suppress(OSError):
            kept = "; what was there before is unchanged" if path.exists() else ""
            part.unlink(missing_ok=True)
        raise StorageError(f"cannot write {path.name} in {path.parent}: {why(error)}{kept}") from error


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as JSON, one a line."""
    write_whole(path, b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines; where it is not there, those of the packed one beside its place (`NAME.xz`)."""
    import lzma

    kept = path if path.is_file() else path.with_name(f"{path.name}.xz")
    told = lzma.decompress(kept.read_bytes()) if kept.suffix == ".xz" else kept.read_bytes()
    return [orjson.loads(line) for line in told.split(b"\n") if line.strip()]


def files_of_lines(folder: Path, pattern: str) -> list[Path]:
    """Files of a folder as `read_lines` takes them, in order, whether packed or not; `pattern` ends in `.jsonl`."""
    found = (*folder.glob(pattern), *folder.glob(f"{pattern}.xz"))
    return sorted({path.with_suffix("") if path.suffix == ".xz" else path for path in found})


def write_json(path: Path, value: Any) -> None:
    """Write JSON with sorted keys, indented: the same bytes for the same content.

    Numbers and arrays of numpy are numbers and lists; NaN and infinity are null, as every figure that cannot be had.

    Raises:
        StorageError: it cannot be written. TypeError: something in it is no plain data.
    """
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    write_whole(path, orjson.dumps(value, _listed, options | orjson.OPT_SERIALIZE_NUMPY))


def _listed(value: Any) -> Any:
    """A tuple with names, or an array that does not lie in one piece, as a list."""
    if isinstance(value, tuple):
        return list(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError


def hold(file: IO[Any], path: Path) -> None:
    """Lock an open file until it is closed or its process ends; on a disk without locks, nothing is locked.

    Args:
        path: What is told to be in use, the file or its folder.

    Raises:
        RunFolderError: it is held already, in another process or by another `open` of this one.
        OSError: it cannot be locked for another reason.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise RunFolderError(f"{path} is in use by another process") from error
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise


def column_types(schema: Mapping[str, str]) -> dict[str, Any]:
    """Columns with their types, which are named in polars' words: 'Int32', 'List(Int32)'."""
    import polars as pl

    kinds = {name: kind.removesuffix(")").split("(") for name, kind in schema.items()}
    return {name: pl.List(getattr(pl, kind[1])) if kind[1:] else getattr(pl, kind[0]) for name, kind in kinds.items()}


def frame_of(rows: Sequence[Mapping[str, Any]], schema: Mapping[str, str]) -> pl.DataFrame:
    """Rows as a table with these columns."""
    import polars as pl

    return pl.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema=column_types(schema))


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]], schema: Mapping[str, str]) -> None:
    """Write rows as Parquet."""
    from io import BytesIO

    out = BytesIO()
    frame_of(rows, schema).write_parquet(out)
    write_whole(path, out.getvalue())


class RowSpool:
    """Collects rows and writes them as Parquet in blocks, so that memory does not grow with the number of sessions."""

    def __init__(self, path: Path, schema: Mapping[str, str]) -> None:
        self._path = path
        self._schema = column_types(schema)
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
        with _polars_errors():
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
        with _polars_errors():
            pl.scan_parquet(self._parts).sink_parquet(self._path)
        for part in self._parts:
            part.unlink()


@contextmanager
def _polars_errors() -> Iterator[None]:
    """Polars reports some write errors in its own types; they are storage errors all the same."""
    import polars as pl

    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise OSError(str(error).splitlines()[0] if str(error) else "a table could not be written") from error


@contextmanager
def new_folder(out: Path, *, told: str) -> Iterator[Path]:
    """A folder beside `out` that becomes it in one step when the block ends well, and vanishes when it does not.

    What a kill leaves lies beside `out`, and the next try removes it.

    Args:
        out: A folder that is empty or not there.
        told: What is said of an error, with `out` and the reason.

    Raises:
        StorageError: the disk is full or cannot be written, or `out` holds something; `out` is as it was.
    """
    place = out.resolve()
    staging = place.with_name(f".{place.name}.part")
    with _vanishing(staging, out, told):
        yield staging
        staging.replace(place)


@contextmanager
def staged(
    out: Path,
    *,
    name: str,
    first: Sequence[str] = (),
    replaces: bool = False,
    told: str = "cannot write to {} ({}); earlier results there are untouched",
) -> Iterator[Path]:
    """A folder inside `out`; what is in it moves to `out` when the block ends well, and vanishes when it does not.

    It moves one after another, in the order of names and `manifest.json` last: a folder with a manifest is whole.

    Args:
        out: Where it goes, beside what is there.
        name: Of the folder until then.
        first: What goes before all else, in this order.
        replaces: Whether what is there under the same name, from a try that was killed, goes; without, it is an error.
        told: What is said of an error, with `out` and the reason.

    Raises:
        StorageError: the disk is full or cannot be written. What `out` held before is untouched, unless `replaces` and
            the error came while things moved.
    """
    staging, is_new = out / name, not out.exists()
    order = {one: place for place, one in enumerate(first)}
    try:
        with _vanishing(staging, out, told):
            yield staging
            made = [one.name for one in staging.iterdir()]
            there = [one for one in made if (out / one).exists()]
            if there and not replaces:
                raise FileExistsError(errno.EEXIST, f"{there[0]} is there already")
            for one in sorted(made, key=lambda one: (order.get(one, len(order)), one == "manifest.json", one)):
                if replaces:
                    shutil.rmtree(out / one, ignore_errors=True)
                (staging / one).replace(out / one)
    finally:
        if is_new and out.is_dir() and not any(out.iterdir()):
            out.rmdir()


@contextmanager
def _vanishing(staging: Path, out: Path, told: str) -> Iterator[None]:
    try:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        yield
    except OSError as error:
        raise StorageError(told.format(out, why(error))) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
