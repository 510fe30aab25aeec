"""Reads sessions in which a label says who speaks: text, subtitles (WebVTT, SubRip) and Word documents; times, Markdown
and blank lines between sessions are allowed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath

from maieutic.errors import UnreadableFile
from maieutic.transcripts.layout import Asked, has_layout
from maieutic.transcripts.source import Source, from_sessions, from_table
from maieutic.transcripts.tables import open_delimited, read_header
from maieutic.transcripts.text_file import BadLine, TextFile, broken_line, is_broken, needs
from maieutic.transcripts.utterance import Transcript, is_known, transcript

LABELLED = (".txt", ".text", ".md")
Part = Callable[[str], tuple[str, str] | None]
"""The label at the start of a line and what is said in it; None for a line without a label."""
MAX_BYTES = 128 << 20  # bytes; a text with speaker labels is read whole
_TIME = r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]?"
_LABEL = re.compile(
    rf"^\s*(?:{_TIME}\s*)?[*\[(_]*(?P<label>[^\W\d_][\w .'/-]{{0,30}}?)[*\])_]*\s*"
    rf"(?:(?:{_TIME})?\s*[:：]\**(?:\s+|$)|{_TIME}\s*$)(?P<text>.*)$"
)
_REMARK = re.compile(r"\[[^\]]*\]|\([^)]*\)")
_MARKS = "*_#[]() "


def read_labelled_text(file: TextFile, columns: Mapping[str, str]) -> Iterator[Transcript | BadLine]:
    """A text with speaker labels, read whole. Its lines that hold bytes which cannot be read are skipped."""
    size = file.path.stat().st_size
    if size > MAX_BYTES:
        raise UnreadableFile(
            f"{file.name}: {size >> 20} MiB in one text; expected at most {MAX_BYTES >> 20}, which is "
            "thousands of hours of talk. Split it into one file a session, or give a CSV"
        )
    with file.open() as text:
        lines = text.read().splitlines()
    broken = {number for number, line in enumerate(lines, start=1) if file.is_damaged and is_broken(line)}
    yield from (broken_line(file.name, number) for number in sorted(broken))
    # A broken line leaves an empty place, so that the lines after it keep their numbers.
    yield from sessions_of(["" if at in broken else line for at, line in enumerate(lines, 1)], file.name, columns)


def sessions_of(lines: Sequence[str], name: str, columns: Mapping[str, str]) -> Iterator[Transcript | BadLine]:
    """Sessions out of lines with a speaker label before each turn; lines without a label go on with the turn before.

    A label stands before its turn ('Therapist: …', '[00:12] T: …') or in a line of its own, alone or with a time
    ('Dr Weber 0:03'). Sessions are parted by lines of dashes (---). Without such lines, blank lines part sessions when
    every block between them holds at least four labelled lines; otherwise the file is one session. A line that is
    nobody's is told, and joins no turn.

    Raises:
        UnreadableFile: No line begins with a speaker label.
    """
    noise = {number for number, line in enumerate(lines, start=1) if _is_noise(line)}
    for number in sorted(noise):
        told = f"{name}, line {number}: {lines[number - 1].strip()[:40]!r} is nobody's utterance"
        yield BadLine(number, f"{told}; write who speaks before it, or take the line out")
    lines = [line for number, line in enumerate(lines, start=1) if number not in noise]
    part = _labelled_by(lines, columns)
    if part is None:
        raise UnreadableFile(
            f"{name}: no line begins with a speaker label. Expected lines such as 'Therapist: …' and 'Client: …' "
            f"(or T: and C:); other names can be given with --column therapist=NAME --column client=NAME, "
            "and a date or number before the names is to be taken out first"
        )
    blocks = _blocks(list(lines), part)
    stem = PurePath(name).stem
    for number, block in enumerate(blocks, start=1):
        session = stem if len(blocks) == 1 else f"{stem}-{number}"
        yield transcript(session, None, _turns(block, part), name, columns)


def notes_on(file: TextFile, columns: Mapping[str, str]) -> tuple[str, ...]:
    """`unlabelled` of a text that is not too large to be read."""
    if file.path.stat().st_size > MAX_BYTES:
        return ()
    with file.open() as text:
        return unlabelled(text.read().splitlines(), columns)


def unlabelled(lines: Sequence[str], columns: Mapping[str, str]) -> tuple[str, ...]:
    """A note where lines name no speaker: a wrapped text reads alike, and so does one that lost some of its labels."""
    spoken = [line for line in lines if line.strip() and not _is_noise(line) and not _is_rule(line)]
    part = _labelled_by(lines, columns)
    first = next((at for at, line in enumerate(spoken) if part and part(line)), len(spoken))
    bare = [line for line in spoken[first:] if part and part(line) is None]
    if not bare:
        return ()
    return (
        f"{len(bare):,} of {len(spoken):,} lines name no speaker and were taken to go on with the turn before "
        f"(the first: {bare[0].strip()[:40]!r}); where somebody else speaks in them, write who",
    )


def _labelled_by(lines: Sequence[str], columns: Mapping[str, str]) -> Part | None:
    """How labels are told from speech in these lines; None where there are none."""
    labels = Counter(match["label"].strip() for line in lines if (match := _LABEL.match(line)))
    speakers = {one for one, times in labels.items() if is_known(one, columns) or (times > 1 and _is_name(one))}
    if speakers:

        def before(line: str) -> tuple[str, str] | None:
            match = _LABEL.match(line)
            return (
                (match["label"].strip(), match["text"].strip())
                if match and match["label"].strip() in speakers
                else None
            )

        return before
    alone = Counter(bare for line in lines if (bare := line.strip(_MARKS)) and is_known(bare, columns))
    if len(alone) < 2 or min(alone.values()) < 2:
        return None
    return lambda line: (line.strip(_MARKS), "") if line.strip(_MARKS) in alone else None


def _blocks(lines: list[str], part: Part) -> list[list[str]]:
    if any(map(_is_rule, lines)):
        return [block for block in _split(lines, _is_rule) if any(map(str.strip, block))]
    blocks = [block for block in _split(lines, lambda line: not line.strip()) if block]
    if len(blocks) > 1 and all(sum(part(line) is not None for line in block) >= 4 for block in blocks):
        return blocks
    return [lines]


def _is_noise(line: str) -> bool:
    """A line of signs, or of a remark in brackets, beside speech: it belongs to nobody's turn. Times and rules are
    neither."""
    bare = _REMARK.sub("", line).strip()
    spoken = any(sign.isalpha() for sign in bare)
    return bool(line.strip()) and not spoken and not _is_rule(line) and not re.fullmatch(rf"\s*{_TIME}\s*", line)


def _is_rule(line: str) -> bool:
    drawn = line.strip()
    return len(drawn) >= 3 and not drawn.strip("-=*_")


def _split(lines: list[str], parts: Callable[[str], bool]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if parts(line):
            blocks.append([])
        else:
            blocks[-1].append(line)
    return blocks


def _turns(lines: list[str], part: Part) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    for line in lines:
        found = part(line)
        if found:
            turns.append(found)
        elif turns and line.strip() and not re.fullmatch(rf"\s*{_TIME}\s*", line):
            speaker, text = turns[-1]
            turns[-1] = (speaker, f"{text} {line.strip()}".strip())
    return turns


def _is_name(label: str) -> bool:
    words = label.split()
    return label[0].isupper() and (len(words) <= 2 or (len(words) <= 4 and all(word[0].isupper() for word in words)))


SUBTITLES = (".vtt", ".srt")


def read_subtitles(file: TextFile, columns: Mapping[str, str]) -> Iterator[Transcript | BadLine]:
    """The one session of a file of subtitles.

    Raises:
        UnreadableFile: It is none, or nothing in it tells who speaks.
    """
    from webvtt import WebVTT
    from webvtt.errors import MalformedCaptionError, MalformedFileError

    with file.open() as text:
        lines = text.read().splitlines()
    yield from (broken_line(file.name, number) for number, line in enumerate(lines, start=1) if is_broken(line))
    kind = file.path.suffix.lower().removeprefix(".")
    try:
        cues = WebVTT.from_buffer((line for line in lines if not is_broken(line)), format=kind).captions
    except (MalformedFileError, MalformedCaptionError, ValueError) as error:
        raise UnreadableFile(f"{file.name}: not readable as subtitles ({error}); export it anew, or as text") from error
    if not any(cue.voice for cue in cues):
        spoken = [line for cue in cues for line in cue.text.splitlines()]
        try:
            yield from sessions_of([line.removeprefix("- ") for line in spoken], file.name, columns)
        except UnreadableFile as error:
            raise UnreadableFile(
                f"{file.name}: {len(cues)} subtitles, and none says who speaks. Export them with names of speakers "
                "(<v NAME> or 'NAME: …'), or write 'Therapist: ' and 'Client: ' before the turns"
            ) from error
        return
    turns: list[tuple[str, str]] = []
    for cue in cues:
        said = " ".join(cue.text.split())
        if turns and cue.voice in (None, turns[-1][0]):
            turns[-1] = (turns[-1][0], f"{turns[-1][1]} {said}")
        else:
            turns.append((cue.voice or "", said))
    yield transcript(file.path.stem, None, turns, file.name, columns)


WORD = ".docx"


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


def open_labelled(file: TextFile, digest: str, asked: Asked, notes: tuple[str, ...]) -> Source:
    """A text with speaker labels, or one that opens with the header of a table. Raises `UnreadableFile`."""
    is_table = False
    with suppress(UnreadableFile):
        is_table = has_layout(read_header(file).names, file.name, asked)
    if is_table:
        return open_delimited(file, digest, asked, notes)
    told = (*notes, *notes_on(file, asked.columns))
    return from_sessions(file.name, digest, "text", lambda: read_labelled_text(file, asked.columns), told)


def open_word(path: Path, name: str, digest: str, asked: Asked) -> Source:
    """A document: the first of its tables that names the columns, or else its text. Raises `UnreadableFile`."""
    document = read_document(path, name)
    for header, *cells in document.tables:
        if has_layout(header, name, asked):
            rows = [(at, dict(zip(header, row, strict=False))) for at, row in enumerate(cells, start=2) if any(row)]
            return from_table(name, digest, asked, header, partial(iter, rows))
    told = unlabelled(document.lines, asked.columns)
    return from_sessions(name, digest, "text", lambda: sessions_of(document.lines, name, asked.columns), told)
