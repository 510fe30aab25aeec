"""Reads ConvoKit corpora: a folder with utterances and, if there, the tables of speakers and conversations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.transcripts.formats.chat import first_of, group_of, joined
from maieutic.transcripts.formats.json_lines import read_objects
from maieutic.transcripts.layout import Row
from maieutic.transcripts.said import transcript
from maieutic.transcripts.text_file import BadLine, TextFile
from maieutic.transcripts.utterance import Transcript

UTTERANCES = "utterances.jsonl"


def is_corpus(path: Path) -> bool:
    """Whether a folder is a ConvoKit corpus."""
    return (path / UTTERANCES).is_file()


def read_corpus(folder: Path, name: str, columns: Mapping[str, str]) -> Iterator[Transcript | BadLine]:
    """One transcript a conversation: utterances.jsonl with conversations.json (groups) and speakers.json (roles)."""
    speakers, conversations = (_table(folder / file, name) for file in ("speakers.json", "conversations.json"))
    last: dict[str, int] = {}
    for line, row in _utterances(folder, name):
        if isinstance(row, BadLine):
            yield row
        else:
            last[_conversation(row)] = line
    waiting: dict[str, list[Row]] = {}
    for line, row in _utterances(folder, name):
        if isinstance(row, BadLine):
            continue
        session = _conversation(row)
        waiting.setdefault(session, []).append(row)
        if last[session] != line:
            continue
        rows = waiting.pop(session)
        if all(isinstance(row.get("timestamp"), int | float) for row in rows):
            rows.sort(key=lambda row: row["timestamp"])
        turns = [(_speaker(row, speakers, columns), joined(row.get("text"))) for row in rows]
        people = {str(row.get("speaker", row.get("user", ""))) for row in rows}
        one = transcript(session, group_of(conversations.get(session, {}), columns), turns, name, columns)
        yield replace(one, people=max(one.people, len(people)))


def _utterances(folder: Path, name: str) -> Iterator[tuple[int, Row | BadLine]]:
    place = f"{name}/{UTTERANCES}"
    for line, row in read_objects(TextFile(folder / UTTERANCES, place)):
        if isinstance(row, BadLine) or _conversation(row):
            yield line, row
        else:
            told = f"{place}, line {line}: neither 'conversation_id' nor 'root' in the utterance"
            yield line, BadLine(line, told)


def _table(path: Path, name: str) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise UnreadableFile(f"{name}/{path.name}: not JSON ({error})") from error
    return read if isinstance(read, dict) else {}


def _conversation(row: Row) -> str:
    value = first_of(row, ("conversation_id", "root"))
    return "" if value is None else str(value)


def _speaker(row: Row, speakers: Mapping[str, Any], columns: Mapping[str, str]) -> str:
    speaker = str(row.get("speaker", row.get("user", "")))
    keys = (columns.get("speaker", ""), "role", "speaker_role", "interlocutor", "type")
    entry = speakers.get(speaker, {})
    for place in (row.get("meta"), entry.get("meta") if isinstance(entry, dict) else None, entry):
        if isinstance(place, dict) and (value := first_of(place, keys)) is not None:
            return str(value)
    return speaker
