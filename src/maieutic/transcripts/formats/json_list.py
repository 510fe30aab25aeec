"""Reads JSON files that are one long list, object by object, without holding the list in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.transcripts.text_file import BadLine, TextFile

SUFFIX = ".json"
_CHUNK = 1 << 16
_LONGEST = 1 << 24


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
                    if len(text) - at > _LONGEST or not more():
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
            row: dict[str, Any] = json.loads(source.read(_LONGEST))
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(f"{file.name}: not JSON ({error}); expected a list of objects, or one session") from error
    return row
