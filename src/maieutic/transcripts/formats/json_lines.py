"""Reads JSON lines: one object a line, an utterance or a whole conversation; a line that is none is skipped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from maieutic.transcripts.text_file import BadLine, TextFile, broken_line, is_broken

SUFFIXES = (".jsonl", ".ndjson")
LONGEST_LINE = 64 << 20  # characters; a longer line is no conversation


def read_objects(file: TextFile) -> Iterator[tuple[int, dict[str, Any] | BadLine]]:
    """Objects of a JSON-lines file with their line numbers."""
    with file.open() as text:
        for number, line in enumerate(iter(lambda: text.readline(LONGEST_LINE), ""), start=1):
            if line.strip():
                yield number, _object(file, number, line)


def _object(file: TextFile, number: int, line: str) -> dict[str, Any] | BadLine:
    place = f"{file.name}, line {number}"
    if len(line) == LONGEST_LINE:
        told = f"longer than {LONGEST_LINE >> 20} MiB; expected one conversation or one utterance in a line"
        return BadLine(number, f"{place}: {told}")
    if file.is_damaged and is_broken(line):
        return broken_line(file.name, number)
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        return BadLine(number, f"{place}, column {error.colno}: not JSON ({error.msg}); expected one object a line")
    except (ValueError, RecursionError) as error:
        return BadLine(number, f"{place}: not JSON ({error}); expected one object a line")
    if not isinstance(row, dict):
        return BadLine(number, f"{place}: expected a JSON object, found {type(row).__name__}")
    return row
