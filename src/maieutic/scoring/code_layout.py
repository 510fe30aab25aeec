"""Finds out where a table that is to be coded keeps its text, its speakers and its sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from maieutic.coding.schemes import get_scheme
from maieutic.errors import UnreadableFile
from maieutic.scoring.tables import GUESSES, WHOLE_FILE

_ANNOMI = {"transcript_id", "utterance_id", "interlocutor", "utterance_text"}
_BOLT = {"prompt", "completion"}


@dataclass(frozen=True, slots=True)
class CodeLayout:
    """Where a table keeps what the coder needs.

    Attributes:
        text: Column of what was said.
        speaker: Column of who spoke, or None when `everyone` or the labels tell.
        session: Column that tells sessions apart, or None when the table is one session or has none.
        turn: Column that numbers utterances in a table that repeats them, or None.
        labels: Column of human codes that may tell who speaks (BOLT), or None.
        everyone: Who speaks in every row, as the user said, or None.
        is_loose: True when rows are single utterances without their dialogue.
    """

    text: str
    speaker: str | None
    session: str | None
    turn: str | None = None
    labels: str | None = None
    everyone: str | None = None
    is_loose: bool = False


def find_code_layout(
    found: Iterable[str], name: str, chosen: Mapping[str, str], *, speaker: str | None = None
) -> CodeLayout:
    """The layout of a table from its header and the user's choices.

    Raises:
        UnreadableFile: A column is missing; the message names the file, what was found and the option.
    """
    columns = {column.strip().lower(): column for column in found}
    asked = {role: chosen[role] for role in ("session", "speaker", "text") if role in chosen}
    missing = [f"{role} ({want!r} was asked for)" for role, want in asked.items()
               if want.strip().lower() not in columns and not (role == "session" and want == WHOLE_FILE)]  # fmt: skip
    given = {role: columns.get(want.strip().lower()) for role, want in asked.items()}
    is_bolt = set(columns) >= _BOLT and not asked

    def guess(role: str) -> str | None:
        if role in given:
            return given[role]
        # Where a table has both, the single utterance goes before the turn it is part of.
        names = ("utt_text", *GUESSES["text"]) if role == "text" else GUESSES[role]
        return next((columns[one] for one in names if one in columns), None)

    text = columns["prompt"] if is_bolt else guess("text")
    who = None if speaker or is_bolt else guess("speaker")
    if text is None and "text" not in asked:
        missing.append("text")
    if who is None and not speaker and not is_bolt and "speaker" not in asked:
        missing.append("speaker")
    if missing or text is None:
        raise UnreadableFile(
            f"{name}: no column for {', '.join(missing)}. Found: {', '.join(columns.values()) or 'none'}. Expected a "
            "column of what was said and one of who said it; name them with --column text=… and --column speaker=…, "
            "or say --speaker therapist (or client) when every row is the same person's"
        )
    session = guess("session")
    repeats = set(columns) >= _ANNOMI and not asked
    return CodeLayout(
        text=text,
        speaker=who,
        session=session,
        turn=columns["utterance_id"] if repeats else None,
        labels=columns["completion"] if is_bolt else None,
        everyone=speaker,
        is_loose=is_bolt or (session is None and who is None),
    )


def given_speaker(name: str, labels: Sequence[str]) -> str:
    """Who speaks in a BOLT table, from its labels or else from its file name.

    Raises:
        UnreadableFile: Neither tells.
    """
    book = get_scheme("bolt")
    for speaker in ("therapist", "client"):
        if any(label in {one.id for one in book.labels(speaker)} for label in labels):
            return speaker
    for speaker in ("therapist", "client"):
        if speaker in name.lower():
            return speaker
    raise UnreadableFile(f"{name}: nothing tells who speaks; say --speaker therapist or --speaker client")
