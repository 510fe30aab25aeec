"""Reads Word documents: paragraphs with speaker labels, or a table with a speaker and what they said in each row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from maieutic.errors import UnreadableFile
from maieutic.transcripts.formats.optional import needs

SUFFIX = ".docx"


@dataclass(frozen=True, slots=True)
class Document:
    """What a document says.

    Attributes:
        lines: Its paragraphs and the rows of its tables in order; the cells of a row as 'first: the rest'.
        tables: The rows of each of its tables.
    """

    lines: tuple[str, ...]
    tables: tuple[tuple[tuple[str, ...], ...], ...]


def read_document(path: Path, name: str) -> Document:
    """The words of a document. Raises `UnreadableFile` where it is none."""
    with needs("office", name):
        import docx
        from docx.table import Table
    lines: list[str] = []
    tables: list[tuple[tuple[str, ...], ...]] = []
    try:
        for part in docx.Document(str(path)).iter_inner_content():
            if isinstance(part, Table):
                rows = tuple(tuple(cell.text.strip() for cell in row.cells) for row in part.rows)
                tables.append(rows)
                lines += _told(rows)
            else:
                lines += part.text.splitlines() or [""]
    except Exception as error:  # a damaged archive breaks inside the library in any way
        raise UnreadableFile(
            f"{name}: not readable as a Word document, it is damaged or of another kind; open it in Word and save it "
            "anew as .docx or .txt"
        ) from error
    return Document(tuple(lines), tuple(tables))


def _told(rows: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    for row in rows:
        cells = [" ".join(cell.split()) for cell in row if cell]
        if len(cells) > 1:
            yield f"{cells[-2].rstrip(':')}: {cells[-1]}"
        else:
            yield from cells
