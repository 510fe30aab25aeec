"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
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
