"""Reads JSON files that are one long list, object by object, and the two published sets that come as such lists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.scoring.code_layout import Said
from maieutic.scoring.speakers import recognise
from maieutic.scoring.tables import Row

PROMPT_KEYS = {"text", "helper_index", "conv_index"}
_CHUNK = 1 << 16
_LONGEST = 1 << 24
_TURN = re.compile(r"^(Helper|Seeker): ?", re.M)
_SUPPORT = {"therapist": "sys", "client": "usr"}


def array_rows(path: Path, name: str) -> Iterator[tuple[int, Row]]:
    """The objects of a JSON list with their numbers from 1, without holding the list in memory."""
    decoder, number, text, at = json.JSONDecoder(), 0, "", 0
    with path.open(encoding="utf-8-sig") as file:

        def more() -> bool:
            nonlocal text, at
            # At least as much again as is unread, so that a long object is not parsed from its start too often.
            chunk = file.read(max(_CHUNK, len(text) - at))
            text, at = text[at:] + chunk, 0
            return bool(chunk)

        def sign() -> str:
            nonlocal at
            while True:
                while at < len(text) and text[at].isspace():
                    at += 1
                if at < len(text) or not more():
                    return text[at : at + 1]

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
                except ValueError as error:
                    if len(text) - at > _LONGEST or not more():
                        raise UnreadableFile(f"{name}, item {number}: not JSON ({error})") from error
                else:
                    break
            at = end
            if not isinstance(item, dict):
                raise UnreadableFile(f"{name}, item {number}: expected a JSON object, found {type(item).__name__}")
            yield number, item


def prompt_reader(name: str) -> Any:
    """Reads the helper's last turn, and the two turns before it, out of a feedback prompt; its answer is not looked at."""

    def read(row: Row) -> Said:
        told = str(row.get("text") or "").partition("### Response:")[0].partition("### Input:")[2]
        parts = _TURN.split(told.strip())[1:]
        if not parts or parts[-2] != "Helper":
            raise UnreadableFile(
                f"{name}, column 'text', conversation {row.get('conv_index')}, turn {row.get('helper_index')}: no dialogue "
                "that ends with the helper; expected '### Input:' and lines 'Helper: …' and 'Seeker: …'"
            )
        said = [text.strip() for text in parts[1::2]]
        return Said.of(None, "", "therapist", "Helper", said[-1], tuple(said[-3:-1]))

    return read


def is_support_dialogue(row: Row) -> bool:
    """Whether an object holds one whole support dialogue as a JSON string."""
    return set(row) == {"text"} and str(row["text"]).lstrip().startswith("{")


def support_rows(path: Path, name: str) -> Iterator[tuple[int, Row]]:
    """One row an utterance of dialogues that stand in JSON strings: session, index, speaker, text, strategy."""
    line = 0
    for number, item in array_rows(path, name):
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
                f"{name}, item {number}, column 'text': expected a JSON object with 'dialog', a list of turns with "
                f"'speaker' and 'text' ({type(error).__name__}: {error})"
            ) from error


def read_support(row: Row) -> Said:
    """What one row of a support dialogue says."""
    voice = recognise(row["speaker"], _SUPPORT)
    return Said.of(row["session"], "", voice.role if voice else "other", row["speaker"], row["text"])
