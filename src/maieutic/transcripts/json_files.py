"""Reads JSON: lines and long lists object by object, chats, ConvoKit corpora, and two published sets that keep
dialogues inside strings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.transcripts.layout import GUESSES, Asked, Layout, ReadRow, Row, as_text, row_reader
from maieutic.transcripts.source import TURN_COLUMNS, Source, from_rows, from_sessions, from_table
from maieutic.transcripts.text_file import BadLine, TextFile, broken_line, is_broken
from maieutic.transcripts.utterance import Transcript, Utterance, Voice, transcript, utterance

JSON_LINES = (".jsonl", ".ndjson")
MAX_LINE = 64 << 20  # characters; a longer line is no conversation


def read_objects(file: TextFile) -> Iterator[tuple[int, dict[str, Any] | BadLine]]:
    """Objects of a JSON-lines file with their line numbers."""
    with file.open() as text:
        for number, line in enumerate(iter(lambda: text.readline(MAX_LINE), ""), start=1):
            if line.strip():
                yield number, _object(file, number, line)


def _object(file: TextFile, number: int, line: str) -> dict[str, Any] | BadLine:
    place = f"{file.name}, line {number}"
    if len(line) == MAX_LINE:
        told = f"longer than {MAX_LINE >> 20} MiB; expected one conversation or one utterance in a line"
        return BadLine(number, f"{place}: {told}")
    if file.is_damaged and is_broken(line):
        return broken_line(file.name, number)
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        return BadLine(number, f"{place}, column {error.colno}: not JSON ({error.msg}); expected one object a line")
    except (ValueError, RecursionError) as error:
        return BadLine(number, f"{place}: not JSON ({error}); expected one object a line")
    if not isinstance(row, dict):
        return BadLine(number, f"{place}: expected a JSON object, found {type(row).__name__}")
    return row


JSON_FILE = ".json"
_CHUNK = 1 << 16
_MAX_ITEM = 1 << 24


def is_list(path: Path) -> bool:
    """Whether a JSON file opens a list."""
    with path.open("rb") as file:
        return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def read_items(file: TextFile) -> Iterator[tuple[int, dict[str, Any] | BadLine]]:
    """The objects of a JSON list, or one object alone, with their numbers from 1."""
    decoder, number, text, at = json.JSONDecoder(), 0, "", 0
    name = file.name
    with file.open() as source:

        def more() -> bool:
            nonlocal text, at
            # At least as much again as is unread, so that a long object is not parsed from its start too often.
            chunk = source.read(max(_CHUNK, len(text) - at))
            text, at = text[at:] + chunk, 0
            return bool(chunk)

        def sign() -> str:
            nonlocal at
            while True:
                while at < len(text) and text[at].isspace():
                    at += 1
                if at < len(text) or not more():
                    return text[at : at + 1]

        if sign() == "{":
            yield 1, _alone(file)
            return
        if sign() != "[":
            raise UnreadableFile(f"{name}: expected a JSON list of objects, one a session or an utterance")
        at += 1
        while (mark := sign()) != "]":
            if number and mark != ",":
                raise UnreadableFile(f"{name}, item {number + 1}: not JSON (expected ',' or ']'); is the file cut off?")
            at += bool(number)
            sign()
            number += 1
            while True:
                try:
                    item, end = decoder.raw_decode(text, at)
                except RecursionError as error:
                    raise UnreadableFile(f"{name}, item {number}: nested too deeply to be a session") from error
                except ValueError as error:
                    if len(text) - at > _MAX_ITEM or not more():
                        raise UnreadableFile(f"{name}, item {number}: not JSON ({error})") from error
                else:
                    break
            at = end
            told = f"{name}, item {number}: expected a JSON object, found {type(item).__name__}"
            yield number, item if isinstance(item, dict) else BadLine(number, told)


def _alone(file: TextFile) -> dict[str, Any]:
    """The one object of a file that holds one session."""
    try:
        with file.open() as source:
            row: dict[str, Any] = json.loads(source.read(_MAX_ITEM))
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{file.name}: not JSON ({error}); expected a list of objects, or one session") from error
    return row


_MESSAGE_KEYS = ("messages", "conversation", "conversations", "dialogue", "dialog", "turns", "utterances")
_ID_KEYS = ("id", "session", "session_id", "conversation_id", "conv_id", "dialogue_id", "dialog_id", "chat_id")
_ROLE_KEYS = ("role", "speaker", "from", "author", "sender")
_TEXT_KEYS = ("content", "text", "value", "utterance", "message")


def _messages_of(row: Row) -> Sequence[Any] | None:
    """The list of messages in a conversation object, or None when it has none."""
    return next((row[key] for key in _MESSAGE_KEYS if isinstance(row.get(key), list)), None)


def _read_conversations(
    rows: Iterable[tuple[int, Row | BadLine]], name: str, columns: Mapping[str, str]
) -> Iterator[Transcript | BadLine]:
    """One transcript an object with `messages: [{role, content}, …]`; an object that has none is skipped."""
    seen: set[str] = set()
    for line, row in rows:
        if isinstance(row, BadLine):
            yield row
            continue
        turns = _turns(row, f"{name}, line {line}", columns)
        if isinstance(turns, str):
            yield BadLine(line, turns)
            continue
        session = str(first_of(row, (columns.get("session", ""), *_ID_KEYS)) or line)
        if session in seen:
            session = f"{session} (line {line})"
        seen.add(session)
        yield transcript(session, group_of(row, columns), turns, name, columns)


def _turns(row: Row, place: str, columns: Mapping[str, str]) -> list[tuple[str, str]] | str:
    """(speaker, text) of the messages of a conversation, or what is wrong with it."""
    messages = _messages_of(row)
    if messages is None:
        return (
            f"{place}: no list of messages. Found keys: {', '.join(map(str, row))}. Expected "
            f"'messages': [{{'role': …, 'content': …}}] in every line, or one utterance in every line"
        )
    turns: list[tuple[str, str]] = []
    for message in messages:
        if not isinstance(message, dict):
            return f"{place}: a message is {type(message).__name__}, expected an object"
        role = first_of(message, (columns.get("speaker", ""), *_ROLE_KEYS))
        if role is None:
            return (
                f"{place}: a message names no speaker. Found keys: {', '.join(map(str, message))}. "
                f"Expected one of {', '.join(_ROLE_KEYS)}; name it with --column speaker=…"
            )
        turns.append((_named(role), joined(first_of(message, (columns.get("text", ""), *_TEXT_KEYS)))))
    return turns


def _named(role: Any) -> str:
    """The speaker of a message, who may be an object of their own."""
    return str(first_of(role, ("role", "name")) or "") if isinstance(role, dict) else str(role)


def first_of(row: Row, keys: Sequence[str]) -> Any:
    """The value of the first of the keys that has one."""
    return next((row[key] for key in keys if key and row.get(key) is not None), None)


def joined(content: Any) -> str:
    """The text of a message, which may come in parts."""
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) if isinstance(part, dict) else str(part) for part in content)
    return "" if content is None else str(content)


def group_of(row: Row, columns: Mapping[str, str]) -> str | None:
    """The group that a conversation names, itself or in its metadata."""
    keys = (columns["group"],) if "group" in columns else GUESSES["group"]
    for place in (row, row.get("meta"), row.get("metadata")):
        if isinstance(place, dict) and (value := first_of(place, keys)) is not None:
            return str(value)
    return None


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


_PROMPTS = Layout("prompts", "text", stands_alone=True)
_SUPPORT = Layout("support", "text", "speaker", "session", named={"therapist": "sys", "client": "usr"})
_PROMPT_KEYS = {"text", "helper_index", "conv_index"}
_SPEAKERS = ("Helper", "Seeker")
_HELPER = Voice("therapist", "therapist")


def turns_of(told: str) -> list[tuple[str, str]]:
    """(speaker, text) from lines 'Helper: …' and 'Seeker: …'; a line without a name goes on with the turn before."""
    turns: list[tuple[str, str]] = []
    for line in told.strip().split("\n"):
        name, colon, text = line.partition(":")
        if colon and name in _SPEAKERS:
            turns.append((name, text))
        elif turns:
            turns[-1] = (turns[-1][0], f"{turns[-1][1]}\n{line}")
    return [(name, text.strip()) for name, text in turns]


def _is_prompt(row: Row) -> bool:
    """Whether an object holds a feedback prompt: a dialogue up to one turn of the helper."""
    return set(row) == _PROMPT_KEYS


def _prompt_reader(name: str) -> ReadRow:
    """Reads the helper's last turn, and the two before it, out of a feedback prompt; its answer is not looked at."""

    def read(line: int, row: Row) -> Utterance | BadLine:
        told = str(row.get("text") or "").partition("### Response:")[0].partition("### Input:")[2]
        turns = turns_of(told)
        if not turns or turns[-1][0] != "Helper":
            return BadLine(
                line,
                f"{name}, column 'text', conversation {row.get('conv_index')}, turn {row.get('helper_index')}: no "
                "dialogue that ends with the helper; expected '### Input:' and lines 'Helper: …' and 'Seeker: …'",
            )
        said = [text for _, text in turns]
        return utterance(said[-1], _HELPER, "Helper", context=tuple(said[-3:-1]))

    return read


def _is_support_dialogue(row: Row) -> bool:
    """Whether an object holds one whole support dialogue as a JSON string."""
    return set(row) == {"text"} and str(row["text"]).lstrip().startswith("{")


def _support_rows(file: TextFile) -> Iterator[tuple[int, dict[str, Any] | BadLine]]:
    """One row an utterance of dialogues that stand in JSON strings: session, index, speaker, text, strategy."""
    line = 0
    for number, item in read_items(file):
        if isinstance(item, BadLine):
            yield number, item
            continue
        try:
            dialog = json.loads(item["text"])["dialog"]
            for index, turn in enumerate(dialog):
                line += 1
                yield (
                    line,
                    {
                        "session": str(number - 1),
                        "index": str(index),
                        "speaker": str(turn["speaker"]),
                        "text": str(turn["text"]).strip(),
                        "strategy": turn.get("strategy"),
                    },
                )
        except (KeyError, TypeError, ValueError) as error:
            raise UnreadableFile(
                f"{file.name}, item {number}, column 'text': expected a JSON object with 'dialog', a list of turns "
                f"with 'speaker' and 'text' ({type(error).__name__}: {error})"
            ) from error


def open_json(file: TextFile, digest: str, asked: Asked, notes: tuple[str, ...]) -> Source:
    """JSON lines, or a list, of utterances, of conversations, or of a published set. Raises `UnreadableFile`."""
    name, one_list = file.name, file.path.suffix.lower() == JSON_FILE
    rows = partial(read_items if one_list else read_objects, file)
    first = next((row for _, row in rows() if not isinstance(row, BadLine)), None)
    if first is None:
        bad = next((row.told for _, row in rows() if isinstance(row, BadLine)), None)
        what = "list" if one_list else "file"
        raise UnreadableFile(
            bad or f"{name}: the {what} is empty; expected one utterance or one conversation an object"
        )
    if _messages_of(first) is not None:
        return from_sessions(name, digest, "chat", lambda: _read_conversations(rows(), name, asked.columns), notes)
    if one_list and _is_prompt(first) and not asked.columns and not asked.sessions:
        layout, read = _PROMPTS, _prompt_reader(name)
        return from_rows(name, digest, layout, tuple(first), as_text(rows), read)
    if one_list and _is_support_dialogue(first):
        layout, read = _SUPPORT, row_reader(_SUPPORT, name, sessions=asked.sessions)
        columns = (*TURN_COLUMNS, "strategy")
        return from_rows(name, digest, layout, columns, lambda: _support_rows(file), read)
    keys = {str(key): None for _, row in rows() if not isinstance(row, BadLine) for key in row}
    return from_table(name, digest, asked, tuple(keys), as_text(rows), notes=notes)
