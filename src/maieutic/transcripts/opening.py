"""Opens what the user points at, a file or a folder in any known format, and says what cannot be read and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from maieutic.errors import InputError, UnreadableFile
from maieutic.transcripts.json_files import (
    JSON_FILE,
    JSON_LINES,
    UTTERANCES,
    is_corpus,
    is_list,
    open_json,
    read_corpus,
)
from maieutic.transcripts.labelled_text import LABELLED, SUBTITLES, WORD, open_labelled, open_word, read_subtitles
from maieutic.transcripts.layout import Asked, check_columns
from maieutic.transcripts.source import Source, from_sessions
from maieutic.transcripts.tables import PARQUET, SPREADSHEETS, open_delimited, open_parquet, open_spreadsheet
from maieutic.transcripts.text_file import TEXT_TABLES, check_bytes, check_name, open_text
from maieutic.transcripts.utterance import Transcript

TEXT_SUFFIXES = (*TEXT_TABLES, *JSON_LINES, *LABELLED, *SUBTITLES)
SESSION_SUFFIXES = (*TEXT_SUFFIXES, WORD, *SPREADSHEETS)
"""Files in which whole sessions lie, also in a folder that holds other things."""
READABLE = (*SESSION_SUFFIXES, JSON_FILE, PARQUET)
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
_BINARY = {WORD: open_word, PARQUET: open_parquet, **dict.fromkeys(SPREADSHEETS, open_spreadsheet)}
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
        elif suffix in suffixes and (suffix != JSON_FILE or any_json or is_list(path)):
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
        for path in inside(folder, (JSON_FILE,), any_json=True)
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
    if suffix in _BINARY:
        digest = check_bytes(path, name, is_text=False, holds=_HOLDS)
        return _BINARY[suffix](path, name, digest, asked)
    digest, file = open_text(path, name, asked.encoding, holds=_HOLDS)
    notes = (file.note,) if file.note else ()
    if suffix in SUBTITLES:
        return from_sessions(name, digest, "subtitles", lambda: read_subtitles(file, asked.columns), notes)
    opens = open_json if suffix in (*JSON_LINES, JSON_FILE) else open_labelled if suffix in LABELLED else open_delimited
    return opens(file, digest, asked, notes)


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
