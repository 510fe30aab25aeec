"""The one check of a file's bytes: text is UTF-8 throughout, or the message says in which line and column it is not."""

from __future__ import annotations

import codecs
import csv
import hashlib
from pathlib import Path

from maieutic.errors import UnreadableFile
from maieutic.transcripts.formats.delimited import SUFFIXES, find_delimiter

_PIECE = 1 << 20


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


def _not_utf8(path: Path, name: str, position: int) -> UnreadableFile:
    line, start, read = 1, 0, 0
    with path.open("rb") as file:
        while read < position and (chunk := file.read(min(_PIECE, position - read))):
            line += chunk.count(b"\n")
            start = read + chunk.rfind(b"\n") + 1 if b"\n" in chunk else start
            read += len(chunk)
    return UnreadableFile(
        f"{name}, line {line}{_column(path, start, position)}: byte {position} is not UTF-8; save the file as UTF-8 "
        "(nothing was guessed)"
    )


def _column(path: Path, start: int, position: int) -> str:
    """The column of a table, or else the place in the line, in which a byte lies."""
    place = f", character {position - start + 1}"
    if path.suffix.lower() not in SUFFIXES or not start:
        return place
    with path.open("rb") as file:
        header = file.readline().decode("utf-8-sig", errors="replace")
        file.seek(start)
        before = file.read(position - start).decode("utf-8", errors="replace")
    delimiter = find_delimiter(header)
    names = next(csv.reader([header], delimiter=delimiter), [])
    cell = len(next(csv.reader([before + "x"], delimiter=delimiter), [""])) - 1
    return f", column {names[cell]!r}" if cell < len(names) else place
