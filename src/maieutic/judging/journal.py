"""Keeps every answer of a judge, so that no answer is paid for twice and an interrupted run goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from maieutic.errors import UnreadableFile, why
from maieutic.protocols import Message
from maieutic.runs.journal import Journal, entries, is_foreign, packed

FORMAT = 1
HEADER = packed({"kind": "judge journal", "format": FORMAT})


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a model.

    Attributes:
        text: Its words.
        calls: Requests it took, repetitions included.
        input_tokens: As the server counts; None where it does not say.
        output_tokens: Likewise.
        seconds: From asking to the answer, waiting for a free connection included.
    """

    text: str
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    seconds: float


def answer_key(model: str, messages: Sequence[Message], *, seed: int, temperature: float, max_tokens: int) -> str:
    """What an answer is filed under: 32 hex digits of a hash of all that decides it."""
    parts = [model, seed, temperature, max_tokens, [[message["role"], message["content"]] for message in messages]]
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:32]


class JudgeJournal:
    """Answers by key, in memory and, where a file is named, on disk.

    Failures are written down too, and asked again by the next run. Answers hold the words that were quoted from the
    transcript.

    Attributes:
        path: The file; None keeps answers in memory only.
        found: What it holds.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Reads what is there, and writes nothing: a dry run leaves no file.

        Raises:
            UnreadableFile: The file is damaged, of another format, or no journal.
        """
        self.path, self.found = path, dict[str, Answer]()
        self._journal: Journal | None = None
        self._read()

    def _read(self) -> None:
        if self.path is None:
            return
        damaged = partial(_damaged, self.path)
        try:
            if is_foreign(self.path, HEADER):
                raise UnreadableFile(
                    f"{self.path} is no journal of a judge's answers of format {FORMAT}; name another file"
                )
            lines = entries(self.path, lambda line: (line["key"], _answer(line)), damaged=damaged, header=HEADER)
            self.found.update((key, answer) for key, answer in lines if answer is not None)
        except OSError as error:
            raise UnreadableFile(f"{self.path} cannot be read ({why(error)})") from error

    def begin(self) -> None:
        """Takes the file for this process, and the answers that came to it meanwhile: before a call is paid for.

        Raises:
            RunFolderError: Another process writes to it.
            StorageError: It cannot be written.
            UnreadableFile: As when it was opened.
        """
        if self._journal is None and self.path is not None:
            self._journal = Journal(self.path, header=HEADER, go_on="free some space and give the same command again")
            self._read()

    def __len__(self) -> int:
        return len(self.found)

    def __contains__(self, key: str) -> bool:
        return key in self.found

    def __getitem__(self, key: str) -> Answer:
        return self.found[key]

    @property
    def seconds(self) -> float | None:
        """Mean seconds an answer took; None where there is none yet."""
        return sum(one.seconds for one in self.found.values()) / len(self) if self.found else None

    def keep(self, key: str, answer: Answer, *, model: str, seed: int) -> None:
        """Files an answer.

        Raises:
            RunFolderError, UnreadableFile: As `begin`, where that was not called.
            StorageError: The file cannot be written.
        """
        self.found[key] = answer
        self._write(
            {
                "key": key,
                "model": model,
                "seed": seed,
                "answer": answer.text,
                "calls": answer.calls,
                "input_tokens": answer.input_tokens,
                "output_tokens": answer.output_tokens,
                "seconds": round(answer.seconds, 3),
            }
        )

    def fail(self, key: str, reason: str, *, model: str, seed: int) -> None:
        """Notes that no answer came. Raises as `keep`."""
        self._write({"key": key, "model": model, "seed": seed, "error": reason})

    def _write(self, line: Mapping[str, Any]) -> None:
        self.begin()
        if self._journal is not None:
            self._journal.write(packed(line))


def _answer(line: Mapping[str, Any]) -> Answer | None:
    """An answer; None of a line that notes a failure."""
    if "answer" not in line:
        return None
    return Answer(
        str(line["answer"]), line["calls"], line["input_tokens"], line["output_tokens"], float(line["seconds"])
    )


def _damaged(path: Path, number: int) -> UnreadableFile:
    return UnreadableFile(
        f"{path}, line {number} is damaged; delete that line (its answer is asked again) or name another file"
    )
