"""Reads two published sets, JSON lists with dialogues inside strings: feedback prompts and support chats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from maieutic.errors import UnreadableFile
from maieutic.transcripts.formats.json_list import read_items
from maieutic.transcripts.layout import Layout, ReadRow, Row
from maieutic.transcripts.said import Voice, utterance
from maieutic.transcripts.text_file import BadLine, TextFile
from maieutic.transcripts.utterance import Utterance

PROMPTS = Layout("prompts", "text", stands_alone=True)
SUPPORT = Layout("support", "text", "speaker", "session", named={"therapist": "sys", "client": "usr"})
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


def is_prompt(row: Row) -> bool:
    """Whether an object holds a feedback prompt: a dialogue up to one turn of the helper."""
    return set(row) == _PROMPT_KEYS


def prompt_reader(name: str) -> ReadRow:
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


def is_support_dialogue(row: Row) -> bool:
    """Whether an object holds one whole support dialogue as a JSON string."""
    return set(row) == {"text"} and str(row["text"]).lstrip().startswith("{")


def support_rows(file: TextFile) -> Iterator[tuple[int, dict[str, Any] | BadLine]]:
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
