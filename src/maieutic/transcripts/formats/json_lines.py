"""Reads JSON lines: one object a line, an utterance or a whole conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile

SUFFIXES = (".jsonl", ".ndjson")
LONGEST_LINE = 64 << 20  # characters; a longer line is no conversation


def read_objects(path: Path, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a JSON-lines file with their line numbers."""
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), start=1):
            if not line.strip():
                continue
            if len(line) == LONGEST_LINE:
                raise UnreadableFile(
                    f"{name}, line {number}: longer than {LONGEST_LINE >> 20} MiB; expected one conversation or one "
                    "utterance in a line"
                )
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise UnreadableFile(f"{name}, line {number}, column {error.colno}: not JSON ({error.msg})") from error
            except ValueError as error:
                raise UnreadableFile(f"{name}, line {number}: not JSON ({error})") from error
            if not isinstance(row, dict):
                raise UnreadableFile(f"{name}, line {number}: expected a JSON object, found {type(row).__name__}")
            yield number, row
