"""Finds out where a table that is to be coded keeps its text, its speakers, its sessions, and what was said before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from maieutic.coding.schemes import get_scheme
from maieutic.errors import UnreadableFile
from maieutic.reading.plain import plain
from maieutic.scoring.speakers import recognise
from maieutic.scoring.tables import GUESSES, WHOLE_FILE, Row

SPEAKERS = ("therapist", "client")
_ANNOMI = {"transcript_id", "utterance_id", "interlocutor", "utterance_text"}
_BOLT = {"prompt", "completion"}
# Published sets of replies: what the client said before, and what the helper answered.
_PAIRS = (("thought", "question"), ("seeker_post", "response_post"), ("interjection", "model_response"))


@dataclass(frozen=True, slots=True)
class CodeLayout:
    """Where a table keeps what the coder needs.

    Attributes:
        text: Column of what was said.
        speaker: Column of who spoke, or None when `everyone` or the labels tell.
        session: Column that tells sessions apart, or None when the table is one session or has none.
        turn: Column that numbers utterances in a table that repeats them, or None.
        labels: Column of human codes that may tell who speaks (BOLT), or None.
        before: Column of what the other speaker said just before, or None.
        everyone: Who speaks in every row, as the user said or the set is known for, or None.
        is_loose: True when rows are single utterances without their dialogue.
        named: Further speaker names by role.
    """

    text: str
    speaker: str | None
    session: str | None
    turn: str | None = None
    labels: str | None = None
    before: str | None = None
    everyone: str | None = None
    is_loose: bool = False
    named: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """What one row says.

    Attributes:
        session: The dialogue it belongs to, or None for a row that stands alone.
        turn: Number of the utterance where rows may repeat one, else empty.
        role: 'therapist', 'client', or 'other' for anybody else.
        label: The speaker as the table has it.
        text: What was said.
        before: What is known to have been said before, oldest first, the other speaker last.
        cleaned: Kinds of markup that were cleaned from the text.
    """

    session: str | None
    turn: str
    role: str
    label: str
    text: str
    before: tuple[str, ...] = ()
    cleaned: tuple[str, ...] = ()

    @classmethod
    def of(cls, session: str | None, turn: str, role: str, label: str, cell: str, before: tuple[str, ...] = ()) -> Said:
        """What a row says, its text and what went before made plain."""
        found = plain(cell)
        return cls(session, turn, role, label, found.text, tuple(plain(one).text for one in before), found.cleaned)


ReadRow = Callable[[Row], Said]


def find_code_layout(
    found: Iterable[str], name: str, chosen: Mapping[str, str], *, speaker: str | None = None
) -> CodeLayout:
    """The layout of a table from its header and the user's choices.

    Raises:
        UnreadableFile: A column is missing; the message names the file, what was found and the option.
    """
    columns = {column.strip().lower(): column for column in found}
    named = {role: chosen[role] for role in SPEAKERS if role in chosen}
    asked = {role: chosen[role] for role in ("session", "speaker", "text") if role in chosen}
    if not asked:
        for before, reply in _PAIRS:
            if before in columns and reply in columns:
                return CodeLayout(columns[reply], None, None, before=columns[before],
                                  everyone=speaker or "therapist", is_loose=True)  # fmt: skip
        if set(columns) >= _BOLT:
            return CodeLayout(columns["prompt"], None, None, labels=columns["completion"],
                              everyone=speaker, is_loose=True)  # fmt: skip
    missing = [f"{role} ({want!r} was asked for)" for role, want in asked.items()
               if want.strip().lower() not in columns and not (role == "session" and want == WHOLE_FILE)]  # fmt: skip
    given = {role: columns.get(want.strip().lower()) for role, want in asked.items()}

    def guess(role: str) -> str | None:
        if role in given:
            return given[role]
        # Where a table has both, the single utterance goes before the turn it is part of.
        names = ("utt_text", *GUESSES["text"]) if role == "text" else GUESSES[role]
        return next((columns[one] for one in names if one in columns), None)

    text = guess("text")
    who = None if speaker else guess("speaker")
    if text is None and "text" not in asked:
        missing.append("text")
    if who is None and not speaker and "speaker" not in asked:
        missing.append("speaker")
    if missing or text is None:
        raise UnreadableFile(
            f"{name}: no column for {', '.join(missing)}. Found: {', '.join(columns.values()) or 'none'}. Expected a "
            "column of what was said and one of who said it; name them with --column text=… and --column speaker=…, "
            "or say --speaker therapist (or client) when every row is the same person's"
        )
    session = guess("session")
    return CodeLayout(
        text=text,
        speaker=who,
        session=session,
        turn=columns["utterance_id"] if set(columns) >= _ANNOMI and not asked else None,
        everyone=speaker,
        is_loose=session is None and who is None and "session" not in asked,
        named=named,
    )


def row_reader(layout: CodeLayout, everyone: str | None) -> ReadRow:
    """Reads what a row says, by a layout; `everyone` speaks in every row of a table without speakers."""

    @lru_cache(maxsize=1_000)
    def role_of(label: str) -> str:
        voice = recognise(label, layout.named)
        return voice.role if voice else "other"

    def read(row: Row) -> Said:
        label = _cell(row, layout.speaker)
        before = _cell(row, layout.before)
        return Said.of(
            session=None if layout.is_loose else _cell(row, layout.session).strip(),
            turn=_cell(row, layout.turn),
            role=everyone or role_of(label),
            label=label,
            cell=_cell(row, layout.text),
            before=(before,) if before.strip() else (),
        )

    return read


def _cell(row: Row, column: str | None) -> str:
    value: Any = None if column is None else row.get(column)
    return "" if value is None else str(value)


def given_speaker(name: str, labels: Iterable[str]) -> str:
    """Who speaks in a BOLT table, from its labels or else from its file name.

    Raises:
        UnreadableFile: Neither tells.
    """
    book = get_scheme("bolt")
    known = {label.id: speaker for speaker in SPEAKERS for label in book.labels(speaker)}
    told = next((known[label] for label in labels if label in known), None)
    if told is not None:
        return told
    for speaker in SPEAKERS:
        if speaker in name.lower():
            return speaker
    raise UnreadableFile(f"{name}: nothing tells who speaks; say --speaker therapist or --speaker client")
