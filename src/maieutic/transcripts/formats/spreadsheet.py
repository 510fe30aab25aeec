"""Reads spreadsheets (Excel, OpenDocument): the sheets that share the columns of the first one that has any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

from maieutic.errors import UnreadableFile
from maieutic.transcripts.formats.delimited import named_columns
from maieutic.transcripts.formats.optional import needs
from maieutic.transcripts.layout import GUESSES
from maieutic.transcripts.text_file import BadLine

SUFFIXES = (".xlsx", ".xlsm", ".xls", ".ods")
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

    def read(self) -> Iterator[tuple[int, dict[str, str] | BadLine]]:
        yield from self.rows


def read_book(path: Path, name: str) -> Book:
    """The rows of a spreadsheet. Raises `UnreadableFile` where it is none, or holds no rows."""
    with needs("office", name):
        from python_calamine import CalamineWorkbook

    try:
        book = CalamineWorkbook.from_path(str(path))
        sheets = {
            title: [[_text(cell) for cell in row] for row in book.get_sheet_by_name(title).to_python()]
            for title in book.sheet_names
        }
    except Exception as error:  # a damaged archive breaks inside the library in any way
        raise UnreadableFile(
            f"{name}: not readable as a spreadsheet, it is damaged or of another kind; open it and save it anew as "
            ".xlsx or .csv"
        ) from error
    starts = {title: _header(rows) for title, rows in sheets.items()}
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


def _header(rows: list[list[str]]) -> int:
    """The row of the header: below a title, which is one cell of several, perhaps one merged over all columns."""
    filled = [sum(map(bool, row)) for row in rows[: MAX_TITLES + 1]]
    first = next((at for at, cells in enumerate(filled) if cells > 1), 0)
    said = {cell.strip().lower() for row in rows[:first] for cell in row}
    return 0 if said & {*GUESSES["text"]} else first


def _text(value: int | float | str | bool | date | datetime | time | timedelta) -> str:
    """A cell as it is shown: whole numbers without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
