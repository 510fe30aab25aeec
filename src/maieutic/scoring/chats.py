"""Reads sessions from chats: JSON lines with one conversation each, ConvoKit's folders, and text with speaker labels."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.scoring.speakers import is_known, recognise
from maieutic.scoring.tables import GUESSES, Row, json_rows
from maieutic.scoring.transcripts import Transcript, Utterance, cleaning_notes

MESSAGE_KEYS = ("messages", "conversation", "conversations", "dialogue", "dialog", "turns", "utterances")
_ID_KEYS = ("id", "session", "session_id", "conversation_id", "conv_id", "dialogue_id", "dialog_id", "chat_id")
_ROLE_KEYS = ("role", "speaker", "from", "author", "sender")
_TEXT_KEYS = ("content", "text", "value", "utterance", "message")
_LABEL = re.compile(
    r"^\s*(?:\[?\(?\d{1,2}:\d{2}(?::\d{2})?\)?\]?\s*)?[*\[(_]*(?P<label>[^\W\d_][\w .'/-]{0,30}?)[*\])_]*\s*"
    r"(?:[\[(]\d{1,2}:\d{2}(?::\d{2})?[\])])?\s*[:：]\**(?:\s+|$)(?P<text>.*)$"
)
LARGEST_TEXT = 128 << 20  # bytes; a text with speaker labels is read whole
_RULE = re.compile(r"^\s*[-=*_]{3,}\s*$")


def messages_of(row: Row) -> Sequence[Any] | None:
    """The list of messages in a conversation object, or None when it has none."""
    return next((row[key] for key in MESSAGE_KEYS if isinstance(row.get(key), list)), None)


def read_conversations(path: Path, name: str, columns: Mapping[str, str]) -> Iterator[Transcript]:
    """One transcript a line of a JSON-lines file with `messages: [{role, content}, …]`."""
    seen: set[str] = set()
    for line, row in json_rows(path, name):
        messages = messages_of(row)
        if messages is None:
            raise UnreadableFile(
                f"{name}, line {line}: no list of messages. Found keys: {', '.join(map(str, row))}. Expected "
                f"'messages': [{{'role': …, 'content': …}}] in every line, or one utterance in every line"
            )
        session = str(_first(row, (columns.get("session", ""), *_ID_KEYS)) or line)
        if session in seen:
            session = f"{session} (line {line})"
        seen.add(session)
        pairs: list[tuple[str, str]] = []
        for message in messages:
            if not isinstance(message, dict):
                raise UnreadableFile(f"{name}, line {line}: a message is {type(message).__name__}, expected an object")
            role = _first(message, (columns.get("speaker", ""), *_ROLE_KEYS))
            if role is None:
                raise UnreadableFile(
                    f"{name}, line {line}: a message names no speaker. Found keys: {', '.join(map(str, message))}. "
                    f"Expected one of {', '.join(_ROLE_KEYS)}; name it with --column speaker=…"
                )
            pairs.append((str(role), _plain(_first(message, (columns.get("text", ""), *_TEXT_KEYS)))))
        yield _from_pairs(session, _group_of(row, columns), pairs, name, columns)


def read_convokit(folder: Path, name: str, columns: Mapping[str, str]) -> Iterator[Transcript]:
    """A ConvoKit corpus: utterances.jsonl with, if there, conversations.json (groups) and speakers.json (roles)."""
    speakers, conversations = (_table(folder / file, name) for file in ("speakers.json", "conversations.json"))
    last: dict[str, int] = {}
    for line, row in json_rows(folder / "utterances.jsonl", f"{name}/utterances.jsonl"):
        last[_conversation(row, name, line)] = line
    waiting: dict[str, list[Row]] = {}
    for line, row in json_rows(folder / "utterances.jsonl", f"{name}/utterances.jsonl"):
        session = _conversation(row, name, line)
        waiting.setdefault(session, []).append(row)
        if last[session] != line:
            continue
        rows = waiting.pop(session)
        if all(isinstance(row.get("timestamp"), int | float) for row in rows):
            rows.sort(key=lambda row: row["timestamp"])
        pairs = [(_convokit_speaker(row, speakers, columns), _plain(row.get("text"))) for row in rows]
        people = {str(row.get("speaker", row.get("user", ""))) for row in rows}
        read = _from_pairs(session, _group_of(conversations.get(session, {}), columns), pairs, name, columns)
        yield Transcript(read.id, read.group, read.utterances, name, max(read.people, len(people)), read.notes)


def read_labelled_text(path: Path, name: str, columns: Mapping[str, str]) -> Iterator[Transcript]:
    """Text with a speaker label before each turn; lines without a label go on with the turn before.

    Sessions are parted by lines of dashes (---). Without such lines, blank lines part sessions when every block between
    them holds at least four labelled lines; otherwise the file is one session.
    """
    if path.stat().st_size > LARGEST_TEXT:
        raise UnreadableFile(
            f"{name}: {path.stat().st_size >> 20} MiB in one text; expected at most {LARGEST_TEXT >> 20}, which is thousands "
            "of hours of talk. Split it into one file a session, or give a CSV"
        )
    with path.open(encoding="utf-8-sig") as file:
        lines = file.read().splitlines()
    labels = [match["label"].strip() for line in lines if (match := _LABEL.match(line))]
    speakers = {label for label in labels if is_known(label, columns) or (labels.count(label) > 1 and _is_name(label))}
    if not speakers:
        raise UnreadableFile(
            f"{name}: no line begins with a speaker label. Expected lines such as 'Therapist: …' and 'Client: …' "
            f"(or T: and C:); other names can be given with --column therapist=NAME --column client=NAME"
        )
    blocks = _blocks(lines, speakers)
    for number, block in enumerate(blocks, start=1):
        session = path.stem if len(blocks) == 1 else f"{path.stem}-{number}"
        yield _from_pairs(session, None, _turns(block, speakers), name, columns)


def _blocks(lines: list[str], speakers: set[str]) -> list[list[str]]:
    if any(_RULE.match(line) for line in lines):
        return [block for block in _split(lines, lambda line: bool(_RULE.match(line))) if any(map(str.strip, block))]
    blocks = [block for block in _split(lines, lambda line: not line.strip()) if block]
    if len(blocks) > 1 and all(sum(_labelled(line, speakers) for line in block) >= 4 for block in blocks):
        return blocks
    return [lines]


def _split(lines: list[str], parts: Any) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if parts(line):
            blocks.append([])
        else:
            blocks[-1].append(line)
    return blocks


def _labelled(line: str, speakers: set[str]) -> bool:
    match = _LABEL.match(line)
    return match is not None and match["label"].strip() in speakers


def _turns(lines: list[str], speakers: set[str]) -> list[tuple[str, str]]:
    turns: list[tuple[str, str]] = []
    for line in lines:
        match = _LABEL.match(line)
        if match and match["label"].strip() in speakers:
            turns.append((match["label"].strip(), match["text"].strip()))
        elif turns and line.strip():
            speaker, text = turns[-1]
            turns[-1] = (speaker, f"{text} {line.strip()}".strip())
    return turns


def _is_name(label: str) -> bool:
    return len(label.split()) <= 2 and label[0].isupper()


def _from_pairs(
    session: str, group: str | None, pairs: list[tuple[str, str]], name: str, columns: Mapping[str, str]
) -> Transcript:
    people: set[str] = set()
    utterances: list[Utterance] = []
    for index, (speaker, text) in enumerate(pairs):
        voice = recognise(speaker, columns)
        said = Utterance.of(index, voice.role, text) if voice else None
        if voice is None or said is None:
            continue
        people.add(voice.person)
        utterances.append(said)
    return Transcript(session, group, tuple(utterances), name, len(people), cleaning_notes(utterances))


def _first(row: Row, keys: Sequence[str]) -> Any:
    return next((row[key] for key in keys if key and row.get(key) is not None), None)


def _plain(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in content)
    return "" if content is None else str(content)


def _group_of(row: Row, columns: Mapping[str, str]) -> str | None:
    keys = (columns["group"],) if "group" in columns else GUESSES["group"]
    for place in (row, row.get("meta"), row.get("metadata")):
        if isinstance(place, dict) and (value := _first(place, keys)) is not None:
            return str(value)
    return None


def _table(path: Path, name: str) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        read = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise UnreadableFile(f"{name}/{path.name}: not JSON ({error})") from error
    return read if isinstance(read, dict) else {}


def _conversation(row: Row, name: str, line: int) -> str:
    value = _first(row, ("conversation_id", "root"))
    if value is None:
        raise UnreadableFile(
            f"{name}/utterances.jsonl, line {line}: neither 'conversation_id' nor 'root' in the utterance"
        )
    return str(value)


def _convokit_speaker(row: Row, speakers: Mapping[str, Any], columns: Mapping[str, str]) -> str:
    speaker = str(row.get("speaker", row.get("user", "")))
    keys = (columns.get("speaker", ""), "role", "speaker_role", "interlocutor", "type")
    entry = speakers.get(speaker, {})
    for place in (row.get("meta"), entry.get("meta") if isinstance(entry, dict) else None, entry):
        if isinstance(place, dict) and (value := _first(place, keys)) is not None:
            return str(value)
    return speaker
