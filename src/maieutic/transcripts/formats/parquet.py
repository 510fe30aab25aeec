"""Reads Parquet tables a slice at a time, with the types of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile

SUFFIX = ".parquet"
_SLICE = 20_000


def read_types(path: Path, name: str) -> Mapping[str, Any]:
    """The Polars types of the columns, by name, in order."""
    import polars as pl

    try:
        return dict(pl.scan_parquet(path).collect_schema())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UnreadableFile(f"{name}: not readable as a table ({str(error).splitlines()[0]})") from error


def read_rows(path: Path, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows with their numbers from 1."""
    import polars as pl

    at = 0
    while True:
        try:
            piece = pl.scan_parquet(path).slice(at, _SLICE).collect()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise UnreadableFile(f"{name}, row {at + 1}: not readable ({str(error).splitlines()[0]})") from error
        if piece.is_empty():
            return
        yield from enumerate(piece.iter_rows(named=True), start=at + 1)
        at += piece.height
