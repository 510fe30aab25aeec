"""Replies in the API's shapes, whole or in chunks, and the record of requests that `--log DIR` writes, redacted.

No clock is in a reply: the same request gives the same bytes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from maieutic.domain.episode import Usage
from maieutic.errors import StorageError, why
from maieutic.safety.handover import DISCLAIMER
from maieutic.serving.request import Said
from maieutic.serving.spoken import Spoken, keys
from maieutic.transcripts.redaction import Redactor

DONE = b"data: [DONE]\n\n"
WORKING = b": working\n\n"
"""A comment that keeps a stream open while a turn is made; clients skip it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, checked and folded.

    Attributes:
        model: The model's id.
        said: The conversation.
        seed: The session's seed.
        explain: Whether what is behind the reply is told too.
        usage_last: Whether a stream ends with a chunk of its usage.
    """

    model: str
    said: tuple[Said, ...]
    seed: int
    explain: bool = False
    usage_last: bool = False

    @property
    def id(self) -> str:
        """The same for the same request."""
        return f"chatcmpl-{keys((self.model, self.seed), (f'{one.own:d}{one.text}' for one in self.said))[-1].hex()}"


def headers(spoken: Spoken) -> dict[str, str]:
    """What a reply's headers tell."""
    told: dict[str, str] = {"x-maieutic-history": spoken.history}
    if spoken.handed_over:
        told["x-maieutic-handover"] = "active"
    return told


def beside(spoken: Spoken, asked: Asked) -> dict[str, Any]:
    """What only this server tells, under the key `maieutic` of a reply."""
    turn = spoken.turn
    told: dict[str, Any] = {
        "notice": DISCLAIMER,
        "seed": asked.seed,
        "history": spoken.history,
        "foreign_turns": list(spoken.foreign),
        "handover": "active" if spoken.handed_over else None,
        "ending": asdict(turn.ending) if turn.ending else None,
        "calls": turn.usage.calls if turn.usage else 0,
    }
    if spoken.opening is not None:
        told["opening"] = spoken.opening
    if turn.original is not None:
        told["original"] = turn.original
    if asked.explain:
        told["explain"] = spoken.hidden
    return told


def whole(spoken: Spoken, asked: Asked) -> dict[str, Any]:
    """A chat completion."""
    return {
        "id": asked.id,
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": spoken.turn.text, "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": usage(spoken.turn.usage),
        "maieutic": beside(spoken, asked),
    }


def first_chunk(asked: Asked) -> dict[str, Any]:
    """The chunk that opens a stream."""
    return _chunk(asked, {"role": "assistant", "content": ""})


def chunks(spoken: Spoken, asked: Asked) -> Iterator[dict[str, Any]]:
    """The reply word by word, what is beside it with the last, and its usage where that was asked for."""
    for piece in _pieces(spoken.turn.text):
        yield _chunk(asked, {"content": piece})
    yield _chunk(asked, {}, "stop") | {"maieutic": beside(spoken, asked)}
    if asked.usage_last:
        yield _chunk(asked, {}) | {"choices": [], "usage": usage(spoken.turn.usage)}


def _pieces(text: str) -> Sequence[str]:
    """Words, each with the space before it; together they are the text."""
    first, *others = text.split(" ")
    return [first, *(f" {word}" for word in others)]


def _chunk(asked: Asked, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    chunk = {"id": asked.id, "object": "chat.completion.chunk", "created": 0, "model": asked.model, "choices": [choice]}
    return chunk | {"usage": None} if asked.usage_last else chunk


def usage(spent: Usage | None) -> dict[str, int] | None:
    """Tokens of the language models behind a turn: 0 where none was asked, None where they report none."""
    if spent is None or not spent.calls:
        return {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    if spent.input_tokens is None or spent.output_tokens is None:
        return None
    both = spent.input_tokens + spent.output_tokens
    return {"prompt_tokens": spent.input_tokens, "completion_tokens": spent.output_tokens, "total_tokens": both}


class RequestLog:
    """Appends to `requests.jsonl` in a folder; names, numbers and addresses become placeholders before anything is
    written."""

    def __init__(self, folder: Path) -> None:
        """Open the file. Raises `StorageError` when it cannot be written."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / "requests.jsonl"
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise StorageError(f"cannot write a log in {folder}: {why(error)}") from error

    def write(self, asked: Asked, spoken: Spoken) -> None:
        """One request and its reply. Raises `OSError` when it cannot be written."""
        texts = [*(one.text for one in asked.said), spoken.turn.text]
        redact = Redactor(texts)
        record: dict[str, Any] = {
            "at": round(time.time(), 3),
            "model": asked.model,
            "seed": asked.seed,
            "history": spoken.history,
            "handed_over": spoken.handed_over,
            "messages": [
                {"role": "assistant" if one.own else "user", "content": redact(one.text)} for one in asked.said
            ],
            "reply": redact(spoken.turn.text),
        }
        os.write(self._file, orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
