"""Opens what the user points at, a file or a folder in any known format, and says what cannot be read and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from maieutic.errors import InputError, UnreadableFile
from maieutic.transcripts.encoding import check_bytes, check_name, open_text
from maieutic.transcripts.formats import (
    chat,
    delimited,
    json_lines,
    json_list,
    labelled_text,
    parquet,
    published_lists,
    spreadsheet,
    subtitles,
    word,
)
from maieutic.transcripts.formats.convokit import UTTERANCES, is_corpus, read_corpus
from maieutic.transcripts.layout import (
    WHOLE_FILE,
    Asked,
    Rows,
    as_text,
    cell,
    check_columns,
    find_layout,
    given_speaker,
    row_reader,
)
from maieutic.transcripts.source import TURN_COLUMNS, Source, from_rows, from_sessions
from maieutic.transcripts.text_file import BadLine, TextFile
from maieutic.transcripts.utterance import Transcript

TEXT_SUFFIXES = (*delimited.SUFFIXES, *json_lines.SUFFIXES, *labelled_text.SUFFIXES, *subtitles.SUFFIXES)
SESSION_SUFFIXES = (*TEXT_SUFFIXES, word.SUFFIX, *spreadsheet.SUFFIXES)
"""Files in which whole sessions lie, also in a folder that holds other things."""
READABLE = (*SESSION_SUFFIXES, json_list.SUFFIX, parquet.SUFFIX)
REMEDIES = {
    ".doc": "save it as .docx",
    ".odt": "save it as .docx",
    ".rtf": "save it as .docx",
    ".pages": "export it as .docx",
    ".numbers": "export it as .xlsx",
    ".pdf": "copy its text into a .txt or .docx file",
    ".html": "save the page as text (.txt)",
    ".htm": "save the page as text (.txt)",
    ".zip": "unpack it",
    **dict.fromkeys(
        (".mp3", ".mp4", ".wav", ".m4a", ".mov"), "transcribe it; text with speaker labels, .vtt and .srt are read"
    ),
}
"""What to do with files that may well be transcripts and that nothing here reads."""
_OWN_JSON = frozenset(("manifest.json", "scores.json", "plan.json", "key.json"))
"""Files of results, of which nobody wonders why they were not read."""
_HOLDS = "a header line and one utterance a row, or one utterance or conversation a line"


@dataclass(frozen=True, slots=True)
class Unread:
    """A file of a folder that could not be read, with the reason."""

    name: str
    reason: str


def open_sources(
    paths: Sequence[Path], columns: Mapping[str, str] | None = None, encoding: str | None = None
) -> tuple[tuple[Source, ...], tuple[Unread, ...]]:
    """The sources of whole sessions behind the paths, and the files in folders that could not be read.

    A file that was named itself must be readable; in a folder one bad file does not stop the rest. Each is read through
    once, so that what is wrong shows before anything is done.

    Args:
        paths: Files and folders.
        columns: Column names by key and speaker names by role, where they cannot be guessed.
        encoding: Of texts that are not UTF-8; found out where it is not given.

    Raises:
        UnreadableFile: No such file, or a named file is empty, wrongly encoded or without the needed columns.
        InputError: Nothing to read at all.
    """
    asked = Asked(check_columns(columns), sessions=True, encoding=check_name(encoding))
    if not paths:
        raise InputError("no transcripts were named; give a file or a folder")
    sources: list[Source] = []
    unread: list[Unread] = []
    for path in paths:
        if not path.is_dir():
            sources.append(open_source(path, path.name, asked))
            sources[-1].count()
            continue
        # A folder may hold the tables of an earlier run, which are no transcripts.
        found = [path] if is_corpus(path) else list(inside(path, SESSION_SUFFIXES))
        others = [] if is_corpus(path) else [*passed_over(path), *_json_files(path)]
        if not found:
            raise InputError(
                f"no transcripts in {path}; expected files ending in {', '.join(SESSION_SUFFIXES)}"
                + "".join(f". {one.reason}" for one in others[:3])
            )
        unread += others
        for inner in found:
            name = path.name if inner == path else inner.relative_to(path).as_posix()
            try:
                source = open_source(inner, name, asked)
                source.count()
            except UnreadableFile as error:
                unread.append(Unread(name, str(error)))
            else:
                sources.append(_grouped_by_folder(source))
    if not sources:
        raise UnreadableFile("none of the files could be read. " + "; ".join(one.reason for one in unread[:3]))
    return _with_own_names(sources), tuple(unread)


def inside(
    folder: Path, suffixes: Sequence[str], *, leave_out: Path | None = None, any_json: bool = False
) -> Iterator[Path]:
    """The files of these kinds and the corpora below a folder, sorted; not hidden ones, a README, nor JSON that is no
    list.

    Args:
        folder: Where to look.
        suffixes: Of the files to find.
        leave_out: A folder that is not looked into, such as that of the output.
        any_json: JSON that is no list, too.
    """
    for path in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if path.name.startswith(".") or (leave_out is not None and path.resolve() == leave_out):
            continue
        suffix = path.suffix.lower()
        if path.is_dir():
            if is_corpus(path):
                yield path
            else:
                yield from inside(path, suffixes, leave_out=leave_out, any_json=any_json)
        elif path.stem.lower() == "readme":
            continue
        elif suffix in suffixes and (suffix != json_list.SUFFIX or any_json or json_list.is_list(path)):
            yield path


def passed_over(folder: Path, *, leave_out: Path | None = None) -> list[Unread]:
    """The files below a folder that may be transcripts and are of a kind that is not read, with what to do."""
    skip = leave_out.resolve() if leave_out else None
    return [
        Unread(name, f"{name}: {path.suffix.lower()} is not read; {REMEDIES[path.suffix.lower()]}")
        for path in inside(folder, tuple(REMEDIES), leave_out=skip)
        if not is_corpus(path) and (name := path.relative_to(folder).as_posix())
    ]


def _json_files(folder: Path) -> list[Unread]:
    """JSON in a folder may be anything and is not read there; whoever keeps sessions in it must hear that."""
    return [
        Unread(name, f"{name}: .json is not looked for in folders; if it holds a session, name the file itself")
        for path in inside(folder, (json_list.SUFFIX,), any_json=True)
        if not is_corpus(path) and path.name not in _OWN_JSON and (name := path.relative_to(folder).as_posix())
        if not (path.parent / "manifest.json").exists()  # a run of ours
    ]


def open_source(path: Path, name: str, asked: Asked) -> Source:
    """Opens a file by its suffix and header, or a ConvoKit corpus.

    Raises:
        UnreadableFile: It is missing, empty, wrongly encoded or without the needed columns.
    """
    if not path.exists():
        raise UnreadableFile(f"no such file or folder: {path}")
    if path.is_dir():
        digest = check_bytes(path / UTTERANCES, f"{name}/{UTTERANCES}", holds="one utterance a line")
        return from_sessions(name, digest, "convokit", lambda: read_corpus(path, name, asked.columns))
    suffix = path.suffix.lower()
    if suffix not in READABLE:
        what = REMEDIES.get(suffix)
        raise UnreadableFile(
            f"{name}: {suffix} is not read; {what}"
            if what
            else f"{name}: cannot tell the format; expected a file that ends in {', '.join(READABLE)}"
        )
    if suffix == parquet.SUFFIX or suffix == word.SUFFIX or suffix in spreadsheet.SUFFIXES:
        digest = check_bytes(path, name, is_text=False, holds=_HOLDS)
        return _binary(path, name, digest, asked)
    digest, file = open_text(path, name, asked.encoding, holds=_HOLDS)
    notes = (file.note,) if file.note else ()
    if suffix in (*json_lines.SUFFIXES, json_list.SUFFIX):
        return _json(file, digest, asked, notes)
    if suffix in subtitles.SUFFIXES:
        return from_sessions(name, digest, "subtitles", lambda: subtitles.read_subtitles(file, asked.columns), notes)
    if suffix in labelled_text.SUFFIXES and not _is_table(file, asked):
        told = (*notes, *labelled_text.notes_on(file, asked.columns))
        return from_sessions(name, digest, "text", lambda: labelled_text.read_labelled_text(file, asked.columns), told)
    header = delimited.read_header(file)
    return _table(name, digest, asked, header.names, lambda: delimited.read_rows(file, header), notes=notes)


def _is_table(file: TextFile, asked: Asked) -> bool:
    """Whether a text opens with the header of a table."""
    try:
        header = delimited.read_header(file)
    except UnreadableFile:
        return False
    return _has_layout(header.names, file.name, asked)


def _binary(path: Path, name: str, digest: str, asked: Asked) -> Source:
    suffix = path.suffix.lower()
    if suffix == parquet.SUFFIX:
        types = parquet.read_types(path, name)
        return _table(name, digest, asked, tuple(types), lambda: parquet.read_rows(path, name), types)
    if suffix in spreadsheet.SUFFIXES:
        book = spreadsheet.read_book(path, name)
        notes = (f"sheets with other columns left out: {', '.join(book.left_out)}",) if book.left_out else ()
        return _table(name, digest, asked, book.columns, book.read, notes=notes)
    document = word.read_document(path, name)
    for header, *cells in document.tables:
        if _has_layout(header, name, asked):
            rows = [(at, dict(zip(header, row, strict=False))) for at, row in enumerate(cells, start=2) if any(row)]
            return _table(name, digest, asked, header, partial(iter, rows))
    told = labelled_text.unlabelled(document.lines, asked.columns)
    return from_sessions(
        name, digest, "text", lambda: labelled_text.sessions_of(document.lines, name, asked.columns), told
    )


def _has_layout(header: Sequence[str], name: str, asked: Asked) -> bool:
    """Whether the first row of a table names the columns that are needed."""
    try:
        find_layout(header, name, asked)
    except UnreadableFile:
        return False
    return True


def _json(file: TextFile, digest: str, asked: Asked, notes: tuple[str, ...]) -> Source:
    name, is_list = file.name, file.path.suffix.lower() == json_list.SUFFIX
    rows = partial(json_list.read_items if is_list else json_lines.read_objects, file)
    first = next((row for _, row in rows() if not isinstance(row, BadLine)), None)
    if first is None:
        bad = next((row.told for _, row in rows() if isinstance(row, BadLine)), None)
        what = "list" if is_list else "file"
        raise UnreadableFile(
            bad or f"{name}: the {what} is empty; expected one utterance or one conversation an object"
        )
    if chat.messages_of(first) is not None:
        return from_sessions(name, digest, "chat", lambda: chat.read_conversations(rows(), name, asked.columns), notes)
    if is_list and published_lists.is_prompt(first) and not asked.columns and not asked.sessions:
        layout, read = published_lists.PROMPTS, published_lists.prompt_reader(name)
        return from_rows(name, digest, layout, tuple(first), as_text(rows), read)
    if is_list and published_lists.is_support_dialogue(first):
        layout, read = published_lists.SUPPORT, row_reader(published_lists.SUPPORT, name, sessions=asked.sessions)
        columns = (*TURN_COLUMNS, "strategy")
        return from_rows(name, digest, layout, columns, lambda: published_lists.support_rows(file), read)
    keys = {str(key): None for _, row in rows() if not isinstance(row, BadLine) for key in row}
    return _table(name, digest, asked, tuple(keys), as_text(rows), notes=notes)


def _table(  # a table is a name, its bytes, what is asked of it, its columns and rows, and what is known of both
    name: str,
    digest: str,
    asked: Asked,
    columns: tuple[str, ...],
    rows: Rows,
    types: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> Source:
    layout = find_layout(columns, name, asked)
    if layout.told_by is not None and layout.everyone is None:
        codes = (cell(row, layout.told_by) for _, row in rows() if not isinstance(row, BadLine))
        layout = replace(layout, everyone=given_speaker(name, codes, asked.codes))
    if asked.sessions and layout.session is None and asked.columns.get("session") != WHOLE_FILE:
        notes = (*notes, "no column tells sessions apart: read as one session (--column session=NAME says otherwise)")
    return from_rows(
        name, digest, layout, columns, rows, row_reader(layout, name, sessions=asked.sessions), types, notes
    )


def _grouped_by_folder(source: Source) -> Source:
    """Sessions of files that name no group take the name of the sub-folder they lie in (high/…, low/…)."""
    folder = source.name.rpartition("/")[0].partition("/")[0]
    if not folder or source.kind == "convokit":
        return source

    def grouped(one: Transcript) -> Transcript:
        return one if one.group else replace(one, group=folder, notes=(*one.notes, "group is the folder's name"))

    return replace(source, read=lambda: map(grouped, source.read()))


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
    return replace(source, name=name, read=lambda: (replace(one, source=name) for one in source.read()))
