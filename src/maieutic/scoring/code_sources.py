"""Opens one file that is to be coded, of any known kind, as a table of rows with what each of them says."""

from __future__ import annotations

import codecs
import csv
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.scoring import chats, code_json, tables
from maieutic.scoring.code_layout import CodeLayout, ReadRow, find_code_layout, given_speaker, row_reader
from maieutic.scoring.tables import Row, Rows
from maieutic.scoring.transcripts import Transcript

TABLES = (".csv", ".tsv")
LINES = (".jsonl", ".ndjson")
TEXTS = (".txt", ".text")
READABLE = (*TABLES, *LINES, ".json", ".parquet", *TEXTS)
_TURN_COLUMNS = ("session", "index", "speaker", "text")
_SLICE = 20_000


@dataclass(frozen=True, slots=True)
class CodeSource:
    """One file as a table.

    Attributes:
        name: File name for messages.
        sha256: Hash of the bytes.
        columns: Column names in order.
        types: Polars types of the columns of a Parquet file; None where every cell is text.
        rows: Yields line number and row; may be called again.
        read: What a row says.
        where: The column of speakers, for messages.
    """

    name: str
    sha256: str
    columns: tuple[str, ...]
    types: Mapping[str, Any] | None
    rows: Rows
    read: ReadRow
    where: str


def open_code_source(path: Path, name: str, chosen: Mapping[str, str], *, speaker: str | None = None) -> CodeSource:
    """Opens a file by its suffix and header.

    Raises:
        UnreadableFile: It is missing, empty, wrongly encoded or without the needed columns.
    """
    if not path.exists():
        raise UnreadableFile(f"{path}: no such file")
    suffix = path.suffix.lower()
    if path.is_dir():
        return _corpus(path, name, chosen)
    if suffix not in READABLE:
        raise UnreadableFile(f"{name}: expected a file that ends in {', '.join(READABLE)}")
    try:
        digest = _checked(path, name, is_text=suffix != ".parquet")
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read ({error.strerror or error})") from error
    if suffix == ".parquet":
        return _parquet(path, name, digest, chosen, speaker)
    if suffix in LINES:
        return _lines(path, name, digest, chosen, speaker)
    if suffix == ".json":
        return _array(path, name, digest, chosen, speaker)
    header, delimiter = tables.csv_header(path, name)
    if suffix in TEXTS:
        try:
            find_code_layout(header, name, chosen, speaker=speaker)
        except UnreadableFile:
            return _turns(name, digest, lambda: chats.read_labelled_text(path, name, chosen))
    return _table(name, digest, header, lambda: tables.csv_rows(path, name, delimiter), chosen, speaker)


def _table(
    name: str, digest: str, header: Sequence[str], rows: Rows, chosen: Mapping[str, str], speaker: str | None
) -> CodeSource:
    layout = find_code_layout(header, name, chosen, speaker=speaker)
    reader = row_reader(layout, _everyone(layout, name, rows))
    return CodeSource(name, digest, tuple(header), None, rows, reader, layout.speaker or "")


def _everyone(layout: CodeLayout, name: str, rows: Rows) -> str | None:
    if layout.everyone or layout.labels is None:
        return layout.everyone
    return given_speaker(name, (str(row.get(layout.labels)) for _, row in rows()))


def _parquet(path: Path, name: str, digest: str, chosen: Mapping[str, str], speaker: str | None) -> CodeSource:
    import polars as pl

    try:
        types = dict(pl.scan_parquet(path).collect_schema())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UnreadableFile(f"{name}: not readable as a table ({str(error).splitlines()[0]})") from error
    layout = find_code_layout(types, name, chosen, speaker=speaker)

    def rows() -> Iterator[tuple[int, Row]]:
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

    reader = row_reader(layout, _everyone(layout, name, rows))
    return CodeSource(name, digest, tuple(types), types, rows, reader, layout.speaker or "")


def _lines(path: Path, name: str, digest: str, chosen: Mapping[str, str], speaker: str | None) -> CodeSource:
    first = next(tables.json_rows(path, name), None)
    if first is None:
        raise UnreadableFile(f"{name} is empty; expected one utterance or one conversation a line")
    if chats.messages_of(first[1]) is not None:
        return _turns(name, digest, lambda: chats.read_conversations(path, name, chosen))
    return _objects(name, digest, lambda: tables.json_rows(path, name), chosen, speaker)


def _array(path: Path, name: str, digest: str, chosen: Mapping[str, str], speaker: str | None) -> CodeSource:
    first = next(code_json.array_rows(path, name), None)
    if first is None:
        raise UnreadableFile(f"{name}: the list is empty; expected one utterance or one conversation an object")
    if set(first[1]) == code_json.PROMPT_KEYS and not chosen:
        plain = _plain_rows(lambda: code_json.array_rows(path, name))
        return CodeSource(name, digest, tuple(first[1]), None, plain, code_json.prompt_reader(name), "text")
    if code_json.is_support_dialogue(first[1]):
        columns = (*_TURN_COLUMNS, "strategy")
        rows = lambda: code_json.support_rows(path, name)  # noqa: E731
        return CodeSource(name, digest, columns, None, rows, code_json.read_support, "speaker")
    if chats.messages_of(first[1]) is not None:
        raise UnreadableFile(
            f"{name}: a list of conversations; save it as JSON lines (.jsonl), one conversation a line"
        )
    return _objects(name, digest, lambda: code_json.array_rows(path, name), chosen, speaker)


def _objects(name: str, digest: str, rows: Rows, chosen: Mapping[str, str], speaker: str | None) -> CodeSource:
    columns = {str(key): None for _, row in rows() for key in row}
    return _table(name, digest, tuple(columns), _plain_rows(rows), chosen, speaker)


def _plain_rows(rows: Rows) -> Rows:
    def plain() -> Iterator[tuple[int, Row]]:
        for line, row in rows():
            yield line, {key: _text(value) for key, value in row.items()}

    return plain


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _corpus(folder: Path, name: str, chosen: Mapping[str, str]) -> CodeSource:
    if not (folder / "utterances.jsonl").is_file():
        raise UnreadableFile(f"{name} is a folder without utterances.jsonl; expected a file or a ConvoKit corpus")
    digest = _checked(folder / "utterances.jsonl", f"{name}/utterances.jsonl", is_text=True)
    return _turns(name, digest, lambda: chats.read_convokit(folder, name, chosen))


def _turns(name: str, digest: str, read: Callable[[], Iterator[Transcript]]) -> CodeSource:
    def rows() -> Iterator[tuple[int, Row]]:
        line = 0
        for session in read():
            for said in session.utterances:
                line += 1
                text = said.original or said.text
                yield line, {"session": session.id, "index": str(said.index), "speaker": said.speaker, "text": text}

    reader = row_reader(CodeLayout("text", "speaker", "session"), None)
    return CodeSource(name, digest, _TURN_COLUMNS, None, rows, reader, "speaker")


def _checked(path: Path, name: str, *, is_text: bool) -> str:
    """The sha256 of a file; text must be UTF-8 throughout. The message names the row and the column that are not."""
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    position, blank = 0, True
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
            if is_text:
                held = len(decoder.getstate()[0])
                try:
                    blank = not decoder.decode(chunk).strip("\ufeff \t\r\n") and blank
                except UnicodeDecodeError as error:
                    raise _not_utf8(path, name, position - held + error.start) from error
            else:
                blank = False
            position += len(chunk)
    if decoder.getstate()[0]:
        raise _not_utf8(path, name, position - len(decoder.getstate()[0]))
    if blank:
        raise UnreadableFile(f"{name} is empty; expected a header line and one utterance a row")
    return digest.hexdigest()


def _not_utf8(path: Path, name: str, position: int) -> UnreadableFile:
    line, start, header = 1, 0, b""
    with path.open("rb") as file:
        for raw in file:
            header = header or raw
            if start + len(raw) > position:
                break
            start += len(raw)
            line += 1
        else:
            raw = b""
    column = ""
    if path.suffix.lower() in TABLES:
        names = next(csv.reader([header.decode("latin-1").strip("\ufeffï»¿")]), [])
        at = len(next(csv.reader([raw[: position - start].decode("latin-1") + "x"]), [])) - 1
        column = f", column {names[at]!r}" if 0 <= at < len(names) and line > 1 else ""
    return UnreadableFile(
        f"{name}, line {line}{column}: byte {position} is not UTF-8; save the file as UTF-8 (nothing was guessed)"
    )
