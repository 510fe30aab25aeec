"""Files and folders that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

from maieutic.errors import StorageError, why


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


def write_json(path: Path, value: Any) -> None:
    """Write JSON with sorted keys, indented: the same bytes for the same content."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS
    write_whole(path, orjson.dumps(value, option=options))


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]], schema: Mapping[str, str]) -> None:
    """Write rows as Parquet; column types are named in polars' words."""
    from io import BytesIO

    import polars as pl

    types = {name: getattr(pl, kind) for name, kind in schema.items()}
    frame = pl.DataFrame({name: [row.get(name) for row in rows] for name in schema}, schema=types)
    out = BytesIO()
    frame.write_parquet(out)
    write_whole(path, out.getvalue())


@contextmanager
def staged(
    out: Path, *, name: str = ".unfinished", told: str = "cannot write to {} ({}); earlier results there are untouched"
) -> Iterator[Path]:
    """A folder to write into; what is in it moves to `out` when the block ends well, and vanishes when it does not.

    Files move in the order of their names and `manifest.json` last: a folder with a manifest is whole.

    Args:
        out: Where it goes; a folder of the same name that is there already is replaced.
        name: Of the folder, inside `out`, until then.
        told: What is said of an error, with `out` and the reason.

    Raises:
        StorageError: the disk is full or cannot be written; what `out` held before is untouched.
    """
    staging, is_new = out / name, not out.exists()
    try:
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir(parents=True)
        yield staging
        for path in sorted(staging.iterdir(), key=lambda one: (one.name == "manifest.json", one.name)):
            shutil.rmtree(out / path.name, ignore_errors=True)
            path.replace(out / path.name)
    except OSError as error:
        raise StorageError(told.format(out, why(error))) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        if is_new and out.is_dir() and not any(out.iterdir()):
            out.rmdir()
