"""Reads chats: JSON objects with one conversation each, a list of messages with their roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from maieutic.transcripts.layout import GUESSES, Row
from maieutic.transcripts.said import transcript
from maieutic.transcripts.text_file import BadLine
from maieutic.transcripts.utterance import Transcript

MESSAGE_KEYS = ("messages", "conversation", "conversations", "dialogue", "dialog", "turns", "utterances")
_ID_KEYS = ("id", "session", "session_id", "conversation_id", "conv_id", "dialogue_id", "dialog_id", "chat_id")
_ROLE_KEYS = ("role", "speaker", "from", "author", "sender")
_TEXT_KEYS = ("content", "text", "value", "utterance", "message")


def messages_of(row: Row) -> Sequence[Any] | None:
    """The list of messages in a conversation object, or None when it has none."""
    return next((row[key] for key in MESSAGE_KEYS if isinstance(row.get(key), list)), None)


def read_conversations(
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
    messages = messages_of(row)
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
