"""Finds out, once for every command, where a table keeps its sessions, its speakers and what they said."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from maieutic.errors import InputError, UnreadableFile
from maieutic.transcripts.text_file import BadLine
from maieutic.transcripts.utterance import SPEAKERS, Role, Utterance, Voice, recognise, utterance

Row = Mapping[str, Any]
Rows = Callable[[], Iterator[tuple[int, Row | BadLine]]]
ReadRow = Callable[[int, Row], Utterance | BadLine]

COLUMN_KEYS = ("session", "speaker", "text", "group", "therapist", "client")
GUESSES: Mapping[str, tuple[str, ...]] = {
    "session": (
        "session",
        "session_id",
        "sessionid",
        "conversation_id",
        "conversation",
        "conv_id",
        "dialogue_id",
        "dialog_id",
        "transcript_id",
        "transcript",
        "chat_id",
        "call_id",
        "thread_id",
        "sheet",
    ),
    "speaker": ("speaker", "role", "interlocutor", "who", "sender", "author", "from", "speaker_role", "user"),
    "text": (
        "text",
        "utterance",
        "utterance_text",
        "content",
        "message",
        "utt_text",
        "vol_text",
        "body",
        "value",
        "said",
        "what_was_said",
        "what_is_said",
        "what_they_said",
        "spoken",
        "speech",
    ),
    "group": ("group", "quality", "mi_quality", "session_quality", "condition", "arm"),
}
WHOLE_FILE = "-"
# A table with these columns besides speaker and text, and no others, is one session.
_TELLS_NO_SESSION = frozenset(
    """id index idx no nr number # turn turn_id turn_number line message_id msg_id utterance_id order position seq time
    times timestamp timestamps date datetime start end start_time end_time start_ms end_ms begin stop offset duration
    length created created_at sent_at ts confidence score language lang model type kind name words tokens notes note
    comment comments edited metadata meta channel attachments reactions version""".split()
)
_ANNOMI = {"transcript_id", "interlocutor", "utterance_text"}
_ANNOMI_LABELS = (
    "main_therapist_behaviour",
    "client_talk_type",
    "question_subtype",
    "reflection_subtype",
    "therapist_input_subtype",
)
_HLQC = {"conv_id", "speaker", "vol_text"}
_BOLT = {"prompt", "completion"}
# Published sets of replies: what the client said before, and what the helper answered.
_PAIRS = (("thought", "question"), ("seeker_post", "response_post"), ("interjection", "model_response"))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command asks of its sources.

    Attributes:
        columns: Column names by key (session, speaker, text, group) and speaker names by role (therapist, client).
        sessions: Only whole sessions will do; otherwise each row counts, and may stand alone.
        speaker: Who speaks in every row of a table without a speaker column, or None.
        encoding: The encoding of texts, or None where it is to be found out.
        codes: Whose utterances a human code is for, by code: a table without speakers may hold such codes.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    sessions: bool = False
    speaker: Role | None = None
    encoding: str | None = None
    codes: Mapping[str, Role] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a table keeps what is needed.

    Attributes:
        kind: Name of the kind of source, such as 'annomi' or 'table'.
        text: Column of what was said.
        speaker: Column of who spoke, or None when `everyone` or `told_by` tells.
        session: Column that tells sessions apart, or None when the table is one session or has none.
        group: Column of the group, or None.
        turn: Column that numbers utterances in a table that repeats them (several annotators), or None.
        labels: Columns with human codes.
        before: Column of what the other speaker said just before, or None.
        told_by: Column of human codes that tell who speaks (BOLT), or None.
        everyone: Who speaks in every row, or None.
        stands_alone: True when rows are single utterances without their dialogue.
        named: Further speaker names by role.
    """

    kind: str
    text: str
    speaker: str | None = None
    session: str | None = None
    group: str | None = None
    turn: str | None = None
    labels: tuple[str, ...] = ()
    before: str | None = None
    told_by: str | None = None
    everyone: Role | None = None
    stands_alone: bool = False
    named: Mapping[str, str] = field(default_factory=dict)


def check_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """The user's choices of columns and speaker names. Raises `InputError` for a key that there is not."""
    chosen = dict(columns or {})
    unknown = sorted(set(chosen) - set(COLUMN_KEYS))
    if unknown:
        raise InputError(
            f"--column has no {', '.join(unknown)!r}; expected KEY=NAME with KEY in {', '.join(COLUMN_KEYS)}"
        )
    return chosen


def find_layout(found: Iterable[str], name: str, asked: Asked) -> Layout:
    """The layout of a table from its header and what was asked for.

    Raises:
        UnreadableFile: A column is missing; the message names the file, what was found and the option.
    """
    columns = {_plain(column): column for column in found}
    named: dict[str, str] = {role: asked.columns[role] for role in SPEAKERS if role in asked.columns}
    # Groups are of sessions; a command that takes rows one by one has none.
    keys = tuple(key for key in GUESSES if asked.sessions or key != "group")
    given = {key: asked.columns[key] for key in keys if key in asked.columns}
    published = None if given else _published(columns, asked, named)
    if published is not None:
        return published
    where: dict[str, str] = {}
    missing: list[str] = []
    for key in keys:
        is_needed = {"session": asked.sessions, "speaker": asked.speaker is None, "text": True, "group": False}[key]
        if key not in given:
            # Where a table has both, rows are the single utterances, sessions are made of whole turns.
            names = ("utt_text", *GUESSES[key]) if key == "text" and not asked.sessions else GUESSES[key]
            guess = next((columns[one] for one in names if one in columns), None)
            if guess is not None:
                where[key] = guess
            elif is_needed:
                missing.append(key)
        elif _plain(given[key]) in columns:
            where[key] = columns[_plain(given[key])]
        elif key != "session" or given[key] != WHOLE_FILE:
            missing.append(f"{key} ({given[key]!r} was asked for)")
    spare = columns.keys() - {_plain(one) for one in where.values()} - _TELLS_NO_SESSION
    spare = {one for one in spare if not one.startswith("column_")}
    if missing == ["session"] and not spare:
        missing = []
    if missing:
        left = columns.keys() - {_plain(one) for one in where.values()}
        is_text = {*missing} <= {"session", "text"} and "text" in missing and len(spare) == 1
        likely = columns[next(iter(spare))] if is_text and left == spare else None
        raise UnreadableFile(_no_column(name, missing, columns.values(), asked, likely))
    session, speaker = where.get("session"), where.get("speaker") if asked.speaker is None else None
    return Layout(
        "table",
        where["text"],
        speaker,
        session,
        where.get("group"),
        everyone=asked.speaker,
        named=named,
        stands_alone=session is None and speaker is None and "session" not in given,
    )


def _plain(column: str) -> str:
    """A column's name as names are compared: "Session ID" is session_id."""
    return "_".join(column.lower().replace("-", " ").split())


def has_layout(header: Sequence[str], name: str, asked: Asked) -> bool:
    """Whether the first row of a table names the columns that are needed."""
    try:
        find_layout(header, name, asked)
    except UnreadableFile:
        return False
    return True


def _published(columns: Mapping[str, str], asked: Asked, named: Mapping[str, str]) -> Layout | None:
    """The layout of a published set, by its header; None for any other table."""
    if columns.keys() >= _ANNOMI and {"mi_quality", "utterance_id"} & columns.keys():
        speaker = columns["interlocutor"] if asked.speaker is None else None
        labels = tuple(columns[label] for label in _ANNOMI_LABELS if label in columns)
        return Layout(
            "annomi",
            columns["utterance_text"],
            speaker,
            columns["transcript_id"],
            columns.get("mi_quality"),
            columns.get("utterance_id"),
            labels,
            everyone=asked.speaker,
            named=named,
        )
    if asked.sessions:
        if columns.keys() >= _HLQC:
            return Layout(
                "hlqc",
                columns["vol_text"],
                columns["speaker"],
                columns["conv_id"],
                turn=columns.get("conv_vol_idx"),
                named=named,
            )
        return None
    for before, reply in _PAIRS:
        if before in columns and reply in columns:
            return Layout(
                "replies",
                columns[reply],
                before=columns[before],
                everyone=asked.speaker or "therapist",
                stands_alone=True,
            )
    if columns.keys() >= _BOLT:
        return Layout(
            "bolt", columns["prompt"], told_by=columns["completion"], everyone=asked.speaker, stands_alone=True
        )
    return None


def _no_column(name: str, missing: Iterable[str], found: Iterable[str], asked: Asked, likely: str | None) -> str:
    """What is missing and what to type; `likely` is the one column that may hold what was said."""
    if likely is not None:
        return f"{name}: no column is known to hold what was said; if it is {likely!r}, add --column 'text={likely}'"
    remedy = (
        "one column each for session, speaker and text; name them with --column session=… --column speaker=… "
        "--column text=… (session=- when the file is one session)"
        if asked.sessions
        else "a column of what was said and one of who said it; name them with --column text=… and --column speaker=…, "
        "or say --speaker therapist (or client) when every row is the same person's"
    )
    names = list(found)
    spaced = next((one for one in names if " " in one.strip()), None)
    quoting = (
        f"; a name with a space is quoted, as in --column '{next(iter(missing)).split()[0]}={spaced}'" if spaced else ""
    )
    return (
        f"{name}: no column for {', '.join(missing)}. Found: {', '.join(names) or 'none'}. Expected {remedy}{quoting}"
    )


def row_reader(layout: Layout, name: str, *, sessions: bool) -> ReadRow:
    """Reads what a row says, by a layout.

    Args:
        layout: Where things stand. Somebody must be known to speak: a column, or `everyone`.
        name: Name of the file; a table that is one session takes its name from it.
        sessions: Whether every row must name its session.
    """
    whole = None if layout.stands_alone else Path(name).stem
    everyone = Voice(layout.everyone, layout.everyone) if layout.everyone else None

    @lru_cache(maxsize=1_000)
    def voice_of(label: str) -> Voice | None:
        return recognise(label, layout.named)

    def read(line: int, row: Row) -> Utterance | BadLine:
        session = whole if layout.session is None else cell(row, layout.session).strip()
        if sessions and not session:
            return BadLine(line, f"{name}, line {line}: the session column {layout.session!r} is empty")
        label, before = cell(row, layout.speaker), cell(row, layout.before)
        return utterance(
            cell(row, layout.text),
            everyone or voice_of(label),
            label,
            session=session,
            context=(before,) if before.strip() else (),
            labels={column: cell(row, column) for column in layout.labels if row.get(column)},
        )

    return read


def cell(row: Row, column: str | None) -> str:
    """What stands in a column, as text; empty for a column or a value that is not there."""
    value = None if column is None else row.get(column)
    return "" if value is None else str(value)


def as_text(rows: Rows) -> Rows:
    """The same rows with every value as text, what is nested as JSON; a value that is not there stays None."""

    def read() -> Iterator[tuple[int, Row | BadLine]]:
        for line, row in rows():
            yield line, row if isinstance(row, BadLine) else {key: _text(value) for key, value in row.items()}

    return read


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def given_speaker(name: str, labels: Iterable[str], codes: Mapping[str, Role]) -> Role:
    """Who speaks in a table whose human codes tell, or else its file name.

    Raises:
        UnreadableFile: Neither tells.
    """
    told = next((codes[label] for label in labels if label in codes), None)
    told = told or next((speaker for speaker in SPEAKERS if speaker in name.lower()), None)
    if told is None:
        raise UnreadableFile(f"{name}: nothing tells who speaks; say --speaker therapist or --speaker client")
    return told
