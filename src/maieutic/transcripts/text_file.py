"""A text that lies in a file: in which encoding it is (UTF-8, the one asked for, or the one that its bytes show; never
guessed silently), and a line of it that cannot be read and is skipped."""

from __future__ import annotations

import codecs
import csv
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from maieutic.errors import InputError, UnreadableFile


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


@contextmanager
def needs(extra: str, name: str) -> Iterator[None]:
    """Turns a library that is not installed into what to do. Raises `UnreadableFile`."""
    try:
        yield
    except ImportError as error:
        raise UnreadableFile(
            f"{name}: files of this kind need {error.name}: pip install 'maieutic[{extra}]', or save it as .csv or .txt"
        ) from error


TEXT_TABLES = (".csv", ".tsv")
DELIMITERS = ",;\t|"
MAX_CELL = 16 << 20
_PIECE = 1 << 20
_SAMPLE = 1 << 16
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LIKELY = ["cp1252", "mac_roman", "utf_16_le", "utf_16_be"]
"""English sessions come from Windows and from Macs; what looks alike in other tongues' encodings is not looked for."""


class NotUtf8(UnreadableFile):
    """A text that holds a byte which is not UTF-8."""


def check_name(encoding: str | None) -> str | None:
    """An encoding that the user named. Raises `InputError` where Python knows none of this name."""
    if encoding is None:
        return None
    try:
        known = codecs.lookup(encoding)
        known.decode(b"")
    except (LookupError, UnicodeError, ValueError, AttributeError) as error:
        raise InputError(
            f"--encoding {encoding!r} is not known; expected a name such as utf-8, utf-16, windows-1252, "
            "latin-1 or mac_roman"
        ) from error
    if not getattr(known, "_is_text_encoding", True):
        raise InputError(f"--encoding {encoding!r} is no encoding of text; expected one such as utf-8 or windows-1252")
    return known.name


def open_text(path: Path, name: str, encoding: str | None, *, holds: str = "") -> tuple[str, TextFile]:
    """The sha256 of a text, and the text in its encoding.

    Args:
        path: The file.
        name: Its name in messages.
        encoding: The one that the user asked for, or None.
        holds: What is expected in it, for the message when it is empty.

    Raises:
        UnreadableFile: It cannot be opened, is empty, is no text, or its encoding cannot be told.
    """
    if encoding is not None:
        digest = check_bytes(path, name, is_text=False, holds=holds)
        _check_as(path, name, encoding)
        # A mark at the start is no part of the text.
        return digest, TextFile(path, name, "utf-8-sig" if encoding == "utf-8" else encoding)
    try:
        digest = check_bytes(path, name, holds=holds)
    except NotUtf8 as wrong:
        return check_bytes(path, name, is_text=False), _found(path, name, wrong)
    if b"\0" in _sample(path):
        return digest, _found(path, name, UnreadableFile(f"{name}: holds bytes that are no text; save it as text"))
    return digest, TextFile(path, name)


def _found(path: Path, name: str, wrong: UnreadableFile) -> TextFile:
    """A text that is not plain UTF-8: marked, damaged in places, or in an encoding that its bytes show."""
    from charset_normalizer import from_bytes

    sample = _sample(path)
    marked = next((encoding for mark, encoding in _MARKS if sample.startswith(mark)), None)
    if marked is not None:
        _check_as(path, name, marked)
        return TextFile(path, name, marked, note=f"read as {marked}, as its first bytes say")
    if _is_mostly_utf8(path):
        return TextFile(path, name, is_damaged=True)
    best = from_bytes(_around_odd(path) or sample, cp_isolation=_LIKELY).best()
    if best is None:
        raise UnreadableFile(f"{wrong}; nor does it look like another encoding: name it with --encoding")
    _check_as(path, name, best.encoding)
    shown = best.encoding.replace("cp1252", "windows-1252")
    return TextFile(path, name, best.encoding, f"read as {shown}, as its bytes look; if not, name it with --encoding")


def _sample(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_SAMPLE)


def _around_odd(path: Path) -> bytes:
    """The lines of a text that hold more than ASCII, up to a sample; an encoding shows in these only."""
    kept, size = [], 0
    with path.open("rb") as file:
        while size < _SAMPLE and (line := file.readline(_PIECE)):
            if not line.isascii() or b"\0" in line:
                kept.append(line)
                size += len(line)
    return b"".join(kept)[:_SAMPLE]


def _is_mostly_utf8(path: Path) -> bool:
    """Whether signs beyond ASCII are UTF-8 more often than not."""
    whole = broken = 0
    with path.open(encoding="utf-8", errors="surrogateescape") as file:
        while piece := file.read(_PIECE):
            if not piece.isascii():
                broken += sum("\udc80" <= sign <= "\udcff" for sign in piece)
                whole += sum(sign > "\x7f" for sign in piece)
    return whole >= 2 * broken > 0


def _check_as(path: Path, name: str, encoding: str) -> None:
    try:
        with path.open(encoding=encoding) as file:
            blank = True
            while piece := file.read(_PIECE):
                blank = blank and not piece.strip("\ufeff \t\r\n")
    except (UnicodeError, ValueError) as error:
        raise UnreadableFile(f"{name}: is not {encoding} throughout; name another with --encoding") from error
    if blank:
        raise UnreadableFile(f"{name}: the file is empty")


def check_bytes(path: Path, name: str, *, is_text: bool = True, holds: str = "") -> str:
    """The sha256 of a file.

    Args:
        path: The file.
        name: Its name in messages.
        is_text: Whether it must be UTF-8 throughout.
        holds: What is expected in it, for the message when it is empty.

    Raises:
        UnreadableFile: It cannot be opened, is empty, or holds a byte that is not UTF-8.
    """
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    position, blank = 0, True
    try:
        with path.open("rb") as file:
            while chunk := file.read(_PIECE):
                digest.update(chunk)
                held = len(decoder.getstate()[0])
                try:
                    text = decoder.decode(chunk) if is_text else "bytes"
                    blank = blank and not text.strip("\ufeff \t\r\n")
                except UnicodeDecodeError as error:
                    raise _not_utf8(path, name, position - held + error.start) from error
                position += len(chunk)
    except OSError as error:
        raise UnreadableFile(f"{name}: cannot be opened ({error.strerror or error})") from error
    if held := len(decoder.getstate()[0]):
        raise _not_utf8(path, name, position - held)
    if blank:
        raise UnreadableFile(f"{name}: the file is empty" + (f"; expected {holds}" if holds else ""))
    return digest.hexdigest()


def _not_utf8(path: Path, name: str, position: int) -> NotUtf8:
    line, start, read = 1, 0, 0
    with path.open("rb") as file:
        while read < position and (chunk := file.read(min(_PIECE, position - read))):
            line += chunk.count(b"\n")
            start = read + chunk.rfind(b"\n") + 1 if b"\n" in chunk else start
            read += len(chunk)
    return NotUtf8(
        f"{name}, line {line}{_column(path, start, position)}: byte {position} is not UTF-8; save the file as UTF-8"
    )


def _column(path: Path, start: int, position: int) -> str:
    """The column of a table, or else the place in the line, in which a byte lies."""
    place = f", character {position - start + 1}"
    if path.suffix.lower() not in TEXT_TABLES or not start:
        return place
    with path.open("rb") as file:
        header = file.readline().decode("utf-8-sig", errors="replace")
        file.seek(start)
        before = file.read(position - start).decode("utf-8", errors="replace")
    delimiter = find_delimiter(header)
    names = next(csv.reader([header], delimiter=delimiter), [])
    cell = len(next(csv.reader([before + "x"], delimiter=delimiter), [""])) - 1
    return f", column {names[cell]!r}" if cell < len(names) else place


def find_delimiter(header: str) -> str:
    """The delimiter that parts the first line into most cells."""
    return max(DELIMITERS, key=lambda sign: len(cells_of(header, sign)))


def cells_of(line: str, delimiter: str) -> list[str]:
    """The cells of one line; none where it cannot be read."""
    csv.field_size_limit(MAX_CELL)
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []
