"""Opens what the user points at, a file or a folder in any of the known formats, and says what cannot be read and why."""

from __future__ import annotations

import codecs
import csv
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from maieutic.errors import InputError, UnreadableFile
from maieutic.scoring import chats, tables
from maieutic.scoring.transcripts import Transcript

TABLES = (".csv", ".tsv")
LINES = (".jsonl", ".ndjson")
TEXTS = (".txt", ".text")
SUFFIXES = (*TABLES, *LINES, *TEXTS)


@dataclass(frozen=True, slots=True)
class Source:
    """A readable file or ConvoKit corpus.

    Attributes:
        name: File name, relative to the folder that was asked for.
        kind: 'annomi', 'hlqc', 'table', 'chat', 'convokit' or 'text'.
        sha256: Hash of the bytes.
        sessions: Number of sessions in it.
        read: Yields them one after another; may be called again.
    """

    name: str
    kind: str
    sha256: str
    sessions: int
    read: Callable[[], Iterator[Transcript]]


@dataclass(frozen=True, slots=True)
class Unread:
    """A file of a folder that could not be read, with the reason."""

    name: str
    reason: str


def open_sources(
    paths: Sequence[Path], columns: Mapping[str, str] | None = None
) -> tuple[tuple[Source, ...], tuple[Unread, ...]]:
    """The sources behind the paths, and the files in folders that could not be read.

    A file that was named itself must be readable; in a folder one bad file does not stop the rest.

    Raises:
        UnreadableFile: no such file, or a named file is empty, wrongly encoded or without the needed columns.
        InputError: nothing to read at all.
    """
    chosen = tables.check_columns(columns)
    if not paths:
        raise InputError("no transcripts were named; give a file or a folder")
    sources: list[Source] = []
    unread: list[Unread] = []
    for path in paths:
        if not path.exists():
            raise UnreadableFile(f"no such file or folder: {path}")
        if path.is_file():
            sources.append(open_file(path, path.name, chosen))
            continue
        found = list(_inside(path))
        if not found:
            raise InputError(f"no transcripts in {path}; expected files ending in {', '.join(SUFFIXES)}")
        for inner in found:
            name = path.name if inner == path else inner.relative_to(path).as_posix()
            try:
                opened = _open_corpus(inner, name, chosen) if inner.is_dir() else open_file(inner, name, chosen)
            except UnreadableFile as error:
                unread.append(Unread(name, str(error)))
            else:
                sources.append(_grouped_by_folder(opened))
    if not sources:
        raise UnreadableFile("none of the files could be read. " + "; ".join(one.reason for one in unread[:3]))
    return _with_own_names(sources), tuple(unread)


def open_file(path: Path, name: str, columns: Mapping[str, str]) -> Source:
    """Opens one file by its suffix and header; reads it through once, so that what is wrong shows before scoring."""
    if path.suffix.lower() not in SUFFIXES:
        raise UnreadableFile(f"{name}: cannot tell the format; expected a file ending in {', '.join(SUFFIXES)}")
    digest = check_bytes(path, name)
    suffix = path.suffix.lower()
    if suffix in TEXTS:
        return _counted(name, "text", digest, lambda: chats.read_labelled_text(path, name, columns))
    if suffix in TABLES:
        header, delimiter = tables.csv_header(path, name)
        layout = tables.find_layout(header, name, columns)
        return _table(name, digest, layout, lambda: tables.csv_rows(path, name, delimiter))
    first = next(tables.json_rows(path, name), None)
    if first is None:
        raise UnreadableFile(f"{name}: the file is empty")
    if chats.messages_of(first[1]) is not None:
        return _counted(name, "chat", digest, lambda: chats.read_conversations(path, name, columns))
    layout = tables.find_layout(map(str, first[1]), name, columns)
    return _table(name, digest, layout, lambda: tables.json_rows(path, name))


def check_bytes(path: Path, name: str) -> str:
    """The sha256 of a file that is UTF-8 throughout. Raises `UnreadableFile` with the byte that is not."""
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    position = 0
    blank = True
    try:
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
                held = len(decoder.getstate()[0])
                try:
                    blank = not decoder.decode(chunk).strip("\ufeff \t\r\n") and blank
                except UnicodeDecodeError as error:
                    raise _not_utf8(path, name, position - held + error.start) from error
                position += len(chunk)
    except OSError as error:
        raise UnreadableFile(f"{name}: cannot be opened ({error.strerror})") from error
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise _not_utf8(path, name, position - len(error.object) + error.start) from error
    if blank:
        raise UnreadableFile(f"{name}: the file is empty")
    return digest.hexdigest()


def _not_utf8(path: Path, name: str, position: int) -> UnreadableFile:
    line, start, read = 1, 0, 0
    with path.open("rb") as file:
        while read < position and (chunk := file.read(min(1 << 20, position - read))):
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
    if path.suffix.lower() not in TABLES or not start:
        return place
    with path.open("rb") as file:
        header = file.readline().decode("utf-8-sig", errors="replace")
        file.seek(start)
        before = file.read(position - start).decode("utf-8", errors="replace")
    delimiter = max(",;\t|", key=header.count)
    names = next(csv.reader([header], delimiter=delimiter), [])
    cell = len(next(csv.reader([before + "x"], delimiter=delimiter), [""])) - 1
    return f", column {names[cell]!r}" if cell < len(names) else place


def _inside(folder: Path) -> Iterator[Path]:
    if (folder / "utterances.jsonl").is_file():
        yield folder
        return
    for path in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _inside(path)
        elif path.suffix.lower() in SUFFIXES:
            yield path


def _open_corpus(folder: Path, name: str, columns: Mapping[str, str]) -> Source:
    digest = check_bytes(folder / "utterances.jsonl", f"{name}/utterances.jsonl")
    return _counted(name, "convokit", digest, lambda: chats.read_convokit(folder, name, columns))


def _table(name: str, digest: str, layout: tables.Layout, rows: tables.Rows) -> Source:
    last = tables.last_lines(rows, layout, name)
    if not last:
        raise UnreadableFile(f"{name}: a header but no rows")
    return Source(name, layout.kind, digest, len(last), lambda: tables.read_table(rows, layout, name, last))


def _counted(name: str, kind: str, digest: str, read: Callable[[], Iterator[Transcript]]) -> Source:
    return Source(name, kind, digest, sum(1 for _ in read()), read)


def _grouped_by_folder(source: Source) -> Source:
    """Sessions of files that name no group take the name of the sub-folder they lie in (high/…, low/…)."""
    folder = source.name.rpartition("/")[0].partition("/")[0]
    if not folder or source.kind == "convokit":
        return source

    def read() -> Iterator[Transcript]:
        for one in source.read():
            yield one if one.group else replace(one, group=folder, notes=(*one.notes, "group is the folder's name"))

    return replace(source, read=read)


def _with_own_names(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Files of equal name from different folders are told apart by a number."""
    times: dict[str, int] = {}
    named: list[Source] = []
    for source in sources:
        times[source.name] = times.get(source.name, 0) + 1
        number = times[source.name]
        named.append(source if number == 1 else _renamed(source, f"{source.name}#{number}"))
    return tuple(named)


def _renamed(source: Source, name: str) -> Source:
    def read() -> Iterator[Transcript]:
        for transcript in source.read():
            yield replace(transcript, source=name)

    return replace(source, name=name, read=read)


__all__ = ["Source", "Unread", "check_bytes", "open_file", "open_sources"]
