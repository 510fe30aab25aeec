"""Reads sessions from tables, one utterance a row: AnnoMI and HLQC as they are, other CSV and JSON lines by column names."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from maieutic.errors import InputError, UnreadableFile
from maieutic.scoring.speakers import recognise
from maieutic.scoring.transcripts import Transcript, Utterance, cleaning_notes

Row = Mapping[str, Any]
Rows = Callable[[], Iterator[tuple[int, Row]]]

COLUMN_KEYS = ("session", "speaker", "text", "group", "therapist", "client")
GUESSES: Mapping[str, tuple[str, ...]] = {
    "session": ("session", "session_id", "sessionid", "conversation_id", "conversation", "conv_id", "dialogue_id",
                "dialog_id", "transcript_id", "transcript", "chat_id", "call_id", "thread_id"),
    "speaker": ("speaker", "role", "interlocutor", "who", "sender", "author", "from", "speaker_role", "user"),
    "text": ("text", "utterance", "utterance_text", "content", "message", "utt_text", "vol_text", "body", "value"),
    "group": ("group", "quality", "mi_quality", "session_quality", "condition", "arm"),
}  # fmt: skip
_ANNOMI = {"transcript_id", "mi_quality", "interlocutor", "utterance_text"}
_ANNOMI_LABELS = ("main_therapist_behaviour", "client_talk_type", "question_subtype", "reflection_subtype",
                  "therapist_input_subtype")  # fmt: skip
_HLQC = {"conv_id", "speaker", "vol_text"}
WHOLE_FILE = "-"
LONGEST_LINE = 64 << 20  # characters of a line of JSON; a longer one is no conversation


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a table keeps what is needed.

    Attributes:
        kind: 'annomi', 'hlqc' or 'table'.
        session, speaker, text: Column names; `session` is '-' when the file is one session.
        group: Column of the group, or None.
        turn: Column that numbers utterances in tables that repeat them (several annotators), or None.
        labels: Columns with human codes.
        named: Speaker names by role, as the user gave them.
    """

    kind: str
    session: str
    speaker: str
    text: str
    group: str | None = None
    turn: str | None = None
    labels: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)


def check_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """The user's column names, refused when a key is unknown."""
    chosen = dict(columns or {})
    unknown = sorted(set(chosen) - set(COLUMN_KEYS))
    if unknown:
        raise InputError(
            f"--column has no {', '.join(unknown)!r}; expected KEY=NAME with KEY in {', '.join(COLUMN_KEYS)}"
        )
    return chosen


def find_layout(found: Iterable[str], name: str, chosen: Mapping[str, str]) -> Layout:
    """The layout of a table from its header. Raises `UnreadableFile` naming file, columns and the option."""
    columns = {column.strip().lower(): column for column in found}
    named = {role: chosen[role] for role in ("therapist", "client") if role in chosen}
    asked = {key: value for key, value in chosen.items() if key in GUESSES}
    if not asked and set(columns) >= _ANNOMI:
        labels = tuple(columns[label] for label in _ANNOMI_LABELS if label in columns)
        return Layout("annomi", columns["transcript_id"], columns["interlocutor"], columns["utterance_text"],
                      columns["mi_quality"], columns.get("utterance_id"), labels, named)  # fmt: skip
    if not asked and set(columns) >= _HLQC:
        return Layout("hlqc", columns["conv_id"], columns["speaker"], columns["vol_text"],
                      turn=columns.get("conv_vol_idx"), named=named)  # fmt: skip
    where: dict[str, str] = {}
    missing: list[str] = []
    for key in ("session", "speaker", "text", "group"):
        if key in asked:
            if key == "session" and asked[key] == WHOLE_FILE:
                where[key] = WHOLE_FILE
            elif asked[key].strip().lower() in columns:
                where[key] = columns[asked[key].strip().lower()]
            else:
                missing.append(f"{key} ({asked[key]!r} was asked for)")
            continue
        guess = next((columns[name] for name in GUESSES[key] if name in columns), None)
        if guess is not None:
            where[key] = guess
        elif key != "group":
            missing.append(key)
    if missing:
        raise UnreadableFile(
            f"{name}: no column for {', '.join(missing)}. Found: {', '.join(columns.values()) or 'none'}. Expected one "
            f"column each for session, speaker and text; name them with --column session=… --column speaker=… --column text=… "
            f"(session=- when the file is one session)"
        )
    return Layout("table", where["session"], where["speaker"], where["text"], where.get("group"), named=named)


def csv_header(path: Path, name: str) -> tuple[list[str], str]:
    """Column names and delimiter of a CSV file."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
    delimiter = max(",;\t|", key=lambda sign: len(next(csv.reader([first], delimiter=sign), [])))
    header = next(csv.reader([first], delimiter=delimiter), [])
    if len(set(header)) < len(header):
        raise UnreadableFile(f"{name}: two columns have the same name in the first line; every column needs its own")
    return header, delimiter


def csv_rows(path: Path, name: str, delimiter: str = ",") -> Iterator[tuple[int, Row]]:
    """Rows of a CSV file with their line numbers; a row that does not fit the header is an error."""
    csv.field_size_limit(16 * 1024 * 1024)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            header = next(reader)
            for cells in reader:
                if not cells:
                    continue
                if len(cells) != len(header):
                    raise _uneven(name, reader.line_num, header, cells)
                yield reader.line_num, dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise UnreadableFile(f"{name}, line {reader.line_num}: not readable as CSV ({error})") from error


def _uneven(name: str, line: int, header: list[str], cells: list[str]) -> UnreadableFile:
    where = (
        f"no cell for column {header[len(cells)]!r}"
        if len(cells) < len(header)
        else f"cell {len(header) + 1} ({cells[len(header)][:20]!r}) belongs to no column"
    )
    return UnreadableFile(
        f"{name}, line {line}: {len(cells)} cells where the header has {len(header)}; {where}; "
        "check the quotes and whether the file was cut off"
    )


def json_rows(path: Path, name: str) -> Iterator[tuple[int, Row]]:
    """Objects of a JSON-lines file with their line numbers."""
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), start=1):
            if not line.strip():
                continue
            if len(line) == LONGEST_LINE:
                raise UnreadableFile(
                    f"{name}, line {number}: longer than {LONGEST_LINE >> 20} MiB; expected one conversation or one "
                    "utterance in a line"
                )
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise UnreadableFile(f"{name}, line {number}, column {error.colno}: not JSON ({error.msg})") from error
            except ValueError as error:
                raise UnreadableFile(f"{name}, line {number}: not JSON ({error})") from error
            if not isinstance(row, dict):
                raise UnreadableFile(f"{name}, line {number}: expected a JSON object, found {type(row).__name__}")
            yield number, row


def last_lines(rows: Rows, layout: Layout, name: str) -> dict[str, int]:
    """Line of the last row of every session; reads the whole table once, so that bad rows show before any scoring."""
    last: dict[str, int] = {}
    for line, row in rows():
        last[_session_of(row, layout, name, line)] = line
    return last


def read_table(rows: Rows, layout: Layout, name: str, last: Mapping[str, int]) -> Iterator[Transcript]:
    """One transcript after another; only sessions whose last row is yet to come are held in memory."""
    open_sessions: dict[str, list[Row]] = {}
    for line, row in rows():
        session = _session_of(row, layout, name, line)
        open_sessions.setdefault(session, []).append(row)
        if last[session] == line:
            yield _transcript(session, open_sessions.pop(session), layout, name)


def _session_of(row: Row, layout: Layout, name: str, line: int) -> str:
    if layout.session == WHOLE_FILE:
        return Path(name).stem
    value = row.get(layout.session)
    if value is None or not str(value).strip():
        raise UnreadableFile(f"{name}, line {line}: the session column {layout.session!r} is empty")
    return str(value).strip()


def _transcript(session: str, rows: list[Row], layout: Layout, name: str) -> Transcript:
    notes: list[str] = []
    if layout.turn is not None:
        once = {str(row[layout.turn]): row for row in reversed(rows)}
        kept = [row for row in rows if once[str(row[layout.turn])] is row]
        if len(kept) < len(rows):
            notes.append("rows that repeat an utterance were read once; labels are those of the first row")
        rows = kept
    people: set[str] = set()
    utterances: list[Utterance] = []
    for index, row in enumerate(rows):
        voice = recognise(str(row.get(layout.speaker) or ""), layout.named)
        labels = {column: str(row[column]) for column in layout.labels if row.get(column)}
        said = Utterance.of(index, voice.role, str(row.get(layout.text) or ""), labels) if voice else None
        if voice is None or said is None:
            continue
        people.add(voice.person)
        utterances.append(said)
    notes += cleaning_notes(utterances)
    groups = _groups(session, rows, layout)
    if len(groups) > 1:
        notes.append(f"rows of this session name {len(groups)} groups; the first was taken")
    return Transcript(session, next(iter(groups), None), tuple(utterances), name, len(people), tuple(notes))


def _groups(session: str, rows: list[Row], layout: Layout) -> dict[str, None]:
    if layout.kind == "hlqc":
        prefix = session.partition("_")[0].lower()
        return {prefix: None} if prefix in ("high", "low") else {}
    if layout.group is None:
        return {}
    return {str(row[layout.group]).strip(): None for row in rows if str(row.get(layout.group) or "").strip()}
