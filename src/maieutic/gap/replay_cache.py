"""The append-only tape of a battery: every reply and answer, so that a killed run loses at most the call in flight.

A therapist is a function of what was said and of the session's seed; so what is on the tape stands for the call.
"""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from maieutic.domain.episode import Answer, Ending, Turn, Usage
from maieutic.errors import RunFolderError
from maieutic.runs.journal import Checkpoint, packed


def cache_key(*parts: Any) -> str:
    """Names a call by what it depends on: 32 hex digits."""
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:32]


class ReplayCache(Checkpoint[dict[str, Any]]):
    """What a therapist said in one battery; without a file it is kept in memory only."""

    def __init__(self, path: Path | None = None) -> None:
        """Reads what is there and goes on at its end. Raises `RunFolderError`, `StorageError`."""
        super().__init__(path, "mark", dict, damaged=partial(_damaged, path))

    def turn(self, mark: str) -> Turn | None:
        """The reply of a call, or None."""
        line = self.found.get(mark)
        if line is None or "text" not in line:
            return None
        ending = Ending(**line["ending"]) if line.get("ending") else None
        return Turn("therapist", line["text"], ending, line.get("trace"), _usage(line))

    def answer(self, mark: str) -> Answer | None:
        """The answer of a call, or None."""
        line = self.found.get(mark)
        return None if line is None or "text" not in line else Answer(line["text"], _usage(line))

    def keep_turn(self, mark: str, turn: Turn) -> None:
        """Put a reply on the tape, as it was written. Raises `StorageError`."""
        written = turn.original or turn.text
        self._keep({"mark": mark, "text": written, "ending": turn.ending, "trace": turn.trace, "usage": turn.usage})

    def keep_answer(self, mark: str, answer: Answer) -> None:
        """Put an answer on the tape, as it was written. Raises `StorageError`."""
        self._keep({"mark": mark, "text": answer.original or answer.text, "usage": answer.usage})

    def lines(self) -> list[bytes]:
        """All that is on the tape, as lines of its file."""
        return [packed(line) for line in self.found.values()]

    def add(self, packed: bytes) -> None:
        """Put a line on the tape that another tape made. Raises `StorageError`."""
        self._keep(orjson.loads(packed))

    def _keep(self, line: dict[str, Any]) -> None:
        kept = packed(line)
        # What a resumed run reads and what this one goes on with must be the same thing.
        self.found[line["mark"]] = orjson.loads(kept)
        self.write_line(kept)


def _damaged(path: Path | None, number: int) -> RunFolderError:
    return RunFolderError(f"{path}, line {number}, is not a line of a tape; start a new folder")


def _usage(line: dict[str, Any]) -> Usage | None:
    return Usage(**line["usage"]) if line.get("usage") else None
