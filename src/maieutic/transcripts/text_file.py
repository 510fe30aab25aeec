"""A text that lies in a file, with the encoding it is read in, and a line of it that cannot be read and is skipped."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TextIO


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text with the encoding it is read in.

    Attributes:
        path: Where it lies.
        name: Its name in messages.
        encoding: As Python names it.
        note: How the encoding was found, where it is not UTF-8.
        is_damaged: Some bytes are no UTF-8; the lines that hold them are skipped (`is_broken`).
    """

    path: Path
    name: str
    encoding: str = "utf-8-sig"
    note: str = ""
    is_damaged: bool = False

    def open(self) -> TextIO:
        """The text from its start, with the line ends it has; a byte that cannot be read stands as a lone surrogate."""
        errors = "surrogateescape" if self.is_damaged else "strict"
        return self.path.open(encoding=self.encoding, errors=errors, newline="")


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be read and is skipped.

    Attributes:
        line: Its number in the file, or of the item in a list.
        told: Which file and line it is, what is wrong and what was expected.
    """

    line: int
    told: str


def is_broken(text: str) -> bool:
    """Whether a text of a damaged file holds a byte that could not be read."""
    return not text.isascii() and any("\udc80" <= sign <= "\udcff" for sign in text)


def broken_line(name: str, line: int) -> BadLine:
    """A line that holds bytes which are not UTF-8."""
    return BadLine(line, f"{name}, line {line}: holds bytes that are not UTF-8; save the file as UTF-8")
