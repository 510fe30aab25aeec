"""Reads tables in text, one row after another: CSV with any usual delimiter, and TSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from maieutic.errors import UnreadableFile

SUFFIXES = (".csv", ".tsv")
DELIMITERS = ",;\t|"
_LONGEST_CELL = 16 << 20


def find_delimiter(header: str) -> str:
    """The delimiter that parts the first line into most cells."""
    return max(DELIMITERS, key=lambda sign: len(next(csv.reader([header], delimiter=sign), [])))


def read_header(path: Path, name: str) -> tuple[list[str], str]:
    """Column names and delimiter of a table."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
    delimiter = find_delimiter(first)
    header = next(csv.reader([first], delimiter=delimiter), [])
    if len(set(header)) < len(header):
        raise UnreadableFile(f"{name}: two columns have the same name in the first line; every column needs its own")
    return header, delimiter


def read_rows(path: Path, name: str, delimiter: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a table with their line numbers; a row that does not fit the header is an error."""
    csv.field_size_limit(_LONGEST_CELL)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            header = next(reader)
            for cells in reader:
                if not cells:
                    continue
                if len(cells) != len(header):
                    raise _uneven(name, reader.line_num, header, cells)
                yield reader.line_num, dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise UnreadableFile(f"{name}, line {reader.line_num}: not readable as CSV ({error})") from error


def _uneven(name: str, line: int, header: list[str], cells: list[str]) -> UnreadableFile:
    where = (
        f"no cell for column {header[len(cells)]!r}"
        if len(cells) < len(header)
        else f"cell {len(header) + 1} ({cells[len(header)][:20]!r}) belongs to no column"
    )
    return UnreadableFile(
        f"{name}, line {line}: {len(cells)} cells where the header has {len(header)}; {where}; "
        "check the quotes and whether the file was cut off"
    )
