"""The record of requests that `--log DIR` writes: redacted, one line a request, readable by its owner only."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import orjson

from maieutic.errors import StorageError, why
from maieutic.serving.completions import Asked
from maieutic.serving.spoken import Spoken
from maieutic.transcripts.redaction import Redactor


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
