"""Reads tables in text, one row after another: CSV with any usual delimiter, and TSV; a row that does not fit is
skipped."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from maieutic.errors import UnreadableFile
from maieutic.transcripts.text_file import BadLine, TextFile, broken_line, is_broken

SUFFIXES = (".csv", ".tsv")
DELIMITERS = ",;\t|"
_LONGEST_CELL = 16 << 20
_MAX_STARTS = 100  # of reading on behind a quote that is never closed; each reads the rest of the file
_SAYS = "sep="  # the first line by which Excel tells itself the delimiter


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a table.

    Attributes:
        names: Its columns; one without a name has its place as name.
        delimiter: What parts the cells.
        lines: Lines up to the first row.
    """

    names: tuple[str, ...]
    delimiter: str
    lines: int = 1


def find_delimiter(header: str) -> str:
    """The delimiter that parts the first line into most cells."""
    return max(DELIMITERS, key=lambda sign: len(_cells(header, sign)))


def _cells(line: str, delimiter: str) -> list[str]:
    csv.field_size_limit(_LONGEST_CELL)
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def read_header(file: TextFile) -> Header:
    """Column names and delimiter of a table."""
    with file.open() as text:
        first = text.readline(_LONGEST_CELL)
        lines = 1
        if first.lower().startswith(_SAYS):
            first, lines = text.readline(_LONGEST_CELL), 2
    delimiter = find_delimiter(first)
    return Header(named_columns(_cells(first, delimiter), file.name), delimiter, lines)


def named_columns(cells: Sequence[str], name: str) -> tuple[str, ...]:
    """The names of columns; a column without a name has its place as name. Raises `UnreadableFile` where two are
    alike."""
    named = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, start=1))
    if len(set(named)) < len(named):
        raise UnreadableFile(f"{name}: two columns have the same name in the first line; every column needs its own")
    return named


def read_rows(file: TextFile, header: Header) -> Iterator[tuple[int, dict[str, str] | BadLine]]:
    """Rows of a table with their line numbers. Behind a quote that is never closed it goes on with the line after
    it."""
    csv.field_size_limit(_LONGEST_CELL)
    before, starts = header.lines, 0
    while starts <= _MAX_STARTS:
        with file.open() as text:
            for _ in range(before):
                text.readline()
            reader = csv.reader(text, delimiter=header.delimiter, strict=True)
            while True:
                first = before + reader.line_num + 1
                try:
                    cells = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield (
                        first,
                        BadLine(first, f"{file.name}, line {first}: not readable as CSV ({error}); check the quotes"),
                    )
                    if before + reader.line_num == first:
                        continue
                    break
                if cells:
                    line = before + reader.line_num
                    yield line, _row(file, line, header, cells)
        before, starts = first, starts + 1
    raise UnreadableFile(f"{file.name}: more than {_MAX_STARTS} quotes are never closed; check how the table was saved")


def _row(file: TextFile, line: int, header: Header, cells: list[str]) -> dict[str, str] | BadLine:
    if file.is_damaged and any(map(is_broken, cells)):
        return broken_line(file.name, line)
    many = len(header.names)
    if len(cells) > many and not any(map(str.strip, cells[many:])):
        cells = cells[:many]
    return (
        dict(zip(header.names, cells, strict=True)) if len(cells) == many else _uneven(file.name, line, header, cells)
    )


def _uneven(name: str, line: int, header: Header, cells: list[str]) -> BadLine:
    many = len(header.names)
    where = (
        f"no cell for column {header.names[len(cells)]!r}"
        if len(cells) < many
        else f"cell {many + 1} ({cells[many][:20]!r}) belongs to no column"
    )
    told = f"{name}, line {line}: {len(cells)} cells where the header has {many}; {where}"
    return BadLine(line, f"{told}; check the quotes and whether the file was cut off")
