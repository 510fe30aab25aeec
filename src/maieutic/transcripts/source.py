"""One source for every command: a file as rows with what each of them says, and as sessions, one after another."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.reading.plain import in_order
from maieutic.transcripts.layout import (
    WHOLE_FILE,
    Asked,
    Layout,
    ReadRow,
    Row,
    Rows,
    cell,
    find_layout,
    given_speaker,
    row_reader,
)
from maieutic.transcripts.text_file import BadLine
from maieutic.transcripts.utterance import SPEAKERS, Transcript, Utterance, cleaning_notes

Line = tuple[int, Row, Utterance]
"""Number in the file, the row as it stands there, and what it says."""
Lines = Callable[[], Iterator[Line]]
Read = Callable[[], Iterator[Transcript]]
Tried = Callable[[], Iterator[Line | BadLine]]
ReadAll = Callable[[], Iterator[Transcript | BadLine]]

_MAX_SKIPPED = 0.2  # of the lines that can be read; a file with more is not what it is taken for
MAX_TOLD = 3
"""Lines that cannot be read which are told with their reason; the rest is counted."""
TURN_COLUMNS = ("session", "index", "speaker", "text")
TURNS = Layout("turns", "text", "speaker", "session")


@dataclass(frozen=True, slots=True)
class Survey:
    """What a first reading found.

    Attributes:
        rows: Number of rows.
        sessions: Number of dialogues; rows that stand alone count each.
        last: Number of the last row of every session, by hash, in a table whose sessions are interleaved; else None.
        known: Rows whose speaker is known as therapist or client.
        cleaned: Number of rows in which each kind of markup was cleaned.
        strangers: The first few other names of speakers, with the line each stands in.
        skipped: Number of lines that cannot be read and are skipped.
        bad: What is wrong with the first few of them.
    """

    rows: int
    sessions: int
    last: Mapping[int, int] | None
    known: int
    strangers: Mapping[str, int]
    cleaned: Mapping[str, int]
    skipped: int = 0
    bad: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A readable file or ConvoKit corpus. It may be gone through again and again; only sessions not yet ended are held.

    Attributes:
        name: File name, relative to the folder that was asked for.
        sha256: Hash of the bytes.
        layout: Where its rows keep what is needed.
        columns: Names of the columns of its rows, in order.
        types: Polars types of the columns of a Parquet file; None where every cell is text.
        lines: Yields its rows with what they say.
        read: Yields its sessions.
        survey: Reads it through, once only, so that what is wrong shows before anything is done.
        count: Number of its sessions, those without an utterance among them.
        notes: What a reader should know about how it was read.
    """

    name: str
    sha256: str
    layout: Layout
    columns: tuple[str, ...]
    types: Mapping[str, Any] | None
    lines: Lines
    read: Read
    survey: Callable[[], Survey]
    count: Callable[[], int]
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Name of the kind of source, such as 'annomi', 'table', 'chat', 'convokit' or 'text'."""
        return self.layout.kind

    @property
    def sessions(self) -> int:
        """Number of sessions in it."""
        return self.count()

    @property
    def told(self) -> tuple[str, ...]:
        """What must be known of how it was read: its encoding, what was left out, and lines that were skipped."""
        found = self.survey()
        if not found.skipped:
            return self.notes
        first = "; ".join(found.bad[:MAX_TOLD])
        more = f"; and {found.skipped - MAX_TOLD:,} more" if found.skipped > MAX_TOLD else ""
        lines = f"{found.skipped:,} line{'s' if found.skipped > 1 else ''} skipped"
        return (*self.notes, f"{lines} ({first}{more})")


def from_rows(
    name: str,
    sha256: str,
    layout: Layout,
    columns: tuple[str, ...],
    rows: Rows,
    read: ReadRow,
    types: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> Source:
    """A source whose rows are utterances; they stay as they are, and become sessions where that is asked."""

    def tried() -> Iterator[Line | BadLine]:
        for number, row in rows():
            if isinstance(row, BadLine):
                yield row
                continue
            said = read(number, row)
            yield said if isinstance(said, BadLine) else (number, row, said)

    def lines() -> Iterator[Line]:
        return (one for one in tried() if not isinstance(one, BadLine))

    found = cache(lambda: survey(name, tried))

    def sessions() -> Iterator[Transcript]:
        return _sessions(name, layout, lines, found())

    return Source(name, sha256, layout, columns, types, lines, sessions, found, lambda: found().sessions, notes)


def from_table(  # a table is a name, its bytes, what is asked of it, its columns and rows, and what is known of both
    name: str,
    digest: str,
    asked: Asked,
    columns: tuple[str, ...],
    rows: Rows,
    types: Mapping[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> Source:
    """A source out of a table, whose header says where it keeps what. Raises `UnreadableFile`."""
    layout = find_layout(columns, name, asked)
    if layout.told_by is not None and layout.everyone is None:
        codes = (cell(row, layout.told_by) for _, row in rows() if not isinstance(row, BadLine))
        layout = replace(layout, everyone=given_speaker(name, codes, asked.codes))
    if asked.sessions and layout.session is None and asked.columns.get("session") != WHOLE_FILE:
        notes = (*notes, "no column tells sessions apart: read as one session (--column session=NAME says otherwise)")
    return from_rows(
        name, digest, layout, columns, rows, row_reader(layout, name, sessions=asked.sessions), types, notes
    )


def from_sessions(name: str, sha256: str, kind: str, read_all: ReadAll, notes: tuple[str, ...] = ()) -> Source:
    """A source that comes in sessions, such as a chat: its rows are made, one an utterance."""

    def tried() -> Iterator[Line | BadLine]:
        number = 0
        for one in read_all():
            if isinstance(one, BadLine):
                yield one
                continue
            for said in one.utterances:
                number += 1
                values = (one.id, str(said.index), said.speaker, said.original or said.text)
                yield number, dict(zip(TURN_COLUMNS, values, strict=True)), said

    def lines() -> Iterator[Line]:
        return (one for one in tried() if not isinstance(one, BadLine))

    def read() -> Iterator[Transcript]:
        return (one for one in read_all() if not isinstance(one, BadLine))

    def counted() -> int:
        found()
        return sum(1 for _ in read())

    layout = replace(TURNS, kind=kind)
    found = cache(lambda: survey(name, tried))
    return Source(name, sha256, layout, TURN_COLUMNS, None, lines, read, found, cache(counted), notes)


def survey(name: str, tried: Tried) -> Survey:
    """Reads a source through once.

    Raises:
        UnreadableFile: There is no row, or too many of them cannot be read.
    """
    runs, ends = array("q"), array("q")
    rows, alone, known, current = 0, 0, 0, None
    strangers: dict[str, int] = {}
    cleaned: Counter[str] = Counter()
    bad: list[str] = []
    skipped = 0
    for one in tried():
        if isinstance(one, BadLine):
            skipped += 1
            if len(bad) < MAX_TOLD:
                bad.append(one.told)
            continue
        line, _, said = one
        rows += 1
        known += said.speaker in SPEAKERS
        cleaned.update(said.cleaned)
        if said.speaker not in SPEAKERS and len(strangers) < 5:
            strangers.setdefault(said.name, line)
        if said.session is None:
            alone += 1
        elif said.session != current or not runs:
            current = said.session
            runs.append(hash(current))
            ends.append(rows - 1)
        else:
            ends[-1] = rows - 1
    if skipped and (skipped >= rows or skipped > max(1, _MAX_SKIPPED * rows)):
        more = f"; and {skipped - 1:,} of {rows + skipped:,} lines cannot be read either" if skipped > 1 else ""
        raise UnreadableFile(bad[0] + more)
    if not rows:
        raise UnreadableFile(f"{name}: a header but no rows; expected one utterance a row")
    sessions = len(set(runs))
    last = dict(zip(runs, ends, strict=True)) if sessions < len(runs) else None
    return Survey(rows, sessions + alone, last, known, strangers, in_order(cleaned), skipped, tuple(bad))


@dataclass(slots=True)
class _Open:
    """A session that is being put together from its rows."""

    kept: int = 0
    utterances: list[Utterance] = field(default_factory=list)
    people: set[str] = field(default_factory=set)
    groups: dict[str, None] = field(default_factory=dict)
    turns: set[str] = field(default_factory=set)
    has_repeats: bool = False

    def take(self, row: Row, said: Utterance, layout: Layout) -> None:
        turn = cell(row, layout.turn)
        if turn and turn in self.turns:
            self.has_repeats = True
            return
        self.turns.add(turn)
        index = self.kept
        self.kept += 1
        if group := cell(row, layout.group).strip():
            self.groups[group] = None
        text = said.text.strip()
        if said.person is not None and text:
            self.people.add(said.person)
            self.utterances.append(replace(said, index=index, text=text))

    def closed(self, session: str, layout: Layout, name: str) -> Transcript:
        notes = []
        if self.has_repeats:
            notes.append("rows that repeat an utterance were read once; labels are those of the first row")
        notes += cleaning_notes(self.utterances)
        if len(self.groups) > 1:
            notes.append(f"rows of this session name {len(self.groups)} groups; the first was taken")
        group = next(iter(self.groups), None)
        if layout.kind == "hlqc":
            prefix = session.partition("_")[0].lower()
            group = prefix if prefix in ("high", "low") else None
        return Transcript(session, group, tuple(self.utterances), name, len(self.people), tuple(notes))


def _sessions(name: str, layout: Layout, lines: Lines, found: Survey) -> Iterator[Transcript]:
    """One session after another; only those whose last row is yet to come are held in memory."""
    held: dict[str, _Open] = {}
    current: str | None = None
    for number, (_, row, said) in enumerate(lines()):
        if found.last is None and current is not None and said.session != current:
            yield held.pop(current).closed(current, layout, name)
        current = said.session or ""
        held.setdefault(current, _Open()).take(row, said, layout)
        if found.last is not None and found.last[hash(current)] == number:
            yield held.pop(current).closed(current, layout, name)
    for session, one in held.items():
        yield one.closed(session, layout, name)
