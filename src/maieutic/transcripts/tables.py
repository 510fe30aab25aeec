"""Reads tables a row at a time: CSV with any usual delimiter and TSV (a row that does not fit is skipped), spreadsheets
(Excel, OpenDocument) and Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.transcripts.layout import GUESSES, Asked
from maieutic.transcripts.source import Source, from_table
from maieutic.transcripts.text_file import (
    MAX_CELL,
    BadLine,
    TextFile,
    broken_line,
    cells_of,
    find_delimiter,
    is_broken,
    needs,
)

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


def read_header(file: TextFile) -> Header:
    """Column names and delimiter of a table."""
    with file.open() as text:
        first = text.readline(MAX_CELL)
        lines = 1
        if first.lower().startswith(_SAYS):
            first, lines = text.readline(MAX_CELL), 2
    delimiter = find_delimiter(first)
    return Header(named_columns(cells_of(first, delimiter), file.name), delimiter, lines)


def named_columns(cells: Sequence[str], name: str) -> tuple[str, ...]:
    """The names of columns; a column without a name has its place as name. Raises `UnreadableFile` where two are
    alike."""
    named = tuple(cell.strip() or f"column {place}" for place, cell in enumerate(cells, start=1))
    if len(set(named)) < len(named):
        raise UnreadableFile(f"{name}: two columns have the same name in the first line; every column needs its own")
    return named


def read_delimited(file: TextFile, header: Header) -> Iterator[tuple[int, dict[str, str] | BadLine]]:
    """Rows of a table with their line numbers. Behind a quote that is never closed it goes on with the line after
    it."""
    csv.field_size_limit(MAX_CELL)
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


SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
SHEET = "sheet"
MAX_TITLES = 5
"""Lines of title over the header of a sheet, empty ones among them."""


@dataclass(frozen=True, slots=True)
class Book:
    """The rows of a spreadsheet.

    Attributes:
        columns: Names of the columns; where several sheets are read, the last one names the sheet.
        rows: Number of the row in its sheet, and its cells as text.
        left_out: Names of sheets with other columns.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[int, dict[str, str]], ...]
    left_out: tuple[str, ...]


def read_book(path: Path, name: str) -> Book:
    """The rows of a spreadsheet. Raises `UnreadableFile` where it is none, or holds no rows."""
    with needs("office", name):
        from python_calamine import CalamineWorkbook

    try:
        book = CalamineWorkbook.from_path(str(path))
        sheets = {
            title: [[_shown(cell) for cell in row] for row in book.get_sheet_by_name(title).to_python()]
            for title in book.sheet_names
        }
    except Exception as error:  # a damaged archive breaks inside the library in any way
        raise UnreadableFile(
            f"{name}: not readable as a spreadsheet, it is damaged or of another kind; open it and save it anew as "
            ".xlsx or .csv"
        ) from error
    starts = {title: _header_at(rows) for title, rows in sheets.items()}
    headers = {
        title: named_columns(tuple(rows[starts[title]]), name)
        for title, rows in sheets.items()
        if len(rows) > starts[title] + 1
    }
    if not headers:
        raise UnreadableFile(f"{name}: no sheet has a header line and rows; expected one utterance a row")
    shared = next(iter(headers.values()))
    used = [title for title, header in headers.items() if header == shared]
    columns = (*shared, SHEET) if len(used) > 1 and SHEET not in shared else shared
    rows = tuple(
        (line, dict(zip(columns, (*cells, title), strict=False)))
        for title in used
        for line, cells in enumerate(sheets[title][starts[title] + 1 :], start=starts[title] + 2)
        if any(cells)
    )
    return Book(columns, rows, tuple(title for title in sheets if title not in used and sheets[title]))


def _header_at(rows: list[list[str]]) -> int:
    """The row of the header: below a title, which is one cell of several, perhaps one merged over all columns."""
    filled = [sum(map(bool, row)) for row in rows[: MAX_TITLES + 1]]
    first = next((at for at, cells in enumerate(filled) if cells > 1), 0)
    said = {cell.strip().lower() for row in rows[:first] for cell in row}
    return 0 if said & {*GUESSES["text"]} else first


def _shown(value: int | float | str | bool | date | datetime | time | timedelta) -> str:
    """A cell as it is shown: whole numbers without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


PARQUET = ".parquet"
_SLICE = 20_000


def read_types(path: Path, name: str) -> Mapping[str, Any]:
    """The Polars types of the columns, by name, in order."""
    import polars as pl

    try:
        return dict(pl.scan_parquet(path).collect_schema())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UnreadableFile(f"{name}: not readable as a table ({str(error).splitlines()[0]})") from error


def read_parquet(path: Path, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
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


def open_delimited(file: TextFile, digest: str, asked: Asked, notes: tuple[str, ...]) -> Source:
    """A table in text. Raises `UnreadableFile`."""
    header = read_header(file)
    return from_table(file.name, digest, asked, header.names, lambda: read_delimited(file, header), notes=notes)


def open_parquet(path: Path, name: str, digest: str, asked: Asked) -> Source:
    """A Parquet table. Raises `UnreadableFile`."""
    types = read_types(path, name)
    return from_table(name, digest, asked, tuple(types), lambda: read_parquet(path, name), types)


def open_spreadsheet(path: Path, name: str, digest: str, asked: Asked) -> Source:
    """The sheets of a spreadsheet as one table. Raises `UnreadableFile`."""
    book = read_book(path, name)
    notes = (f"sheets with other columns left out: {', '.join(book.left_out)}",) if book.left_out else ()
    return from_table(name, digest, asked, book.columns, lambda: iter(book.rows), notes=notes)
