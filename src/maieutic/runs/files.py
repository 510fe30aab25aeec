"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
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
