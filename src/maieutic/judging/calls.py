"""Asks a model many questions at once: bounded, counted, a failure recorded and not fatal, and every answer kept.

So no answer is paid for twice, and an interrupted run goes on.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from maieutic.errors import BudgetReached, InputError, ModelError, ModelUnavailable, UnreadableFile, why
from maieutic.protocols import LanguageModel, Message
from maieutic.runs.journal import Journal, entries, is_foreign, packed
from maieutic.runs.work import Budget, pooled, useful_at_once

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


Progress = Callable[[int, int], None]
"""Told after each call: calls done, calls in all."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How much at once, and when to stop.

    Attributes:
        concurrency: Calls at once, 1 or more; a model that finds fewer useful gets fewer.
        max_calls: Requests after which nothing more is asked; None for no limit. A repetition after a passing fault
            counts too, and is known afterwards only.
        give_up: Failed calls in a row, without one answer between them, after which the model counts as unreachable.
    """

    concurrency: int = 8
    max_calls: int | None = None
    give_up: int = 24

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.give_up < 1:
            raise InputError(f"concurrency and give_up must be 1 or more, got {self}")
        if self.max_calls is not None and self.max_calls < 0:
            raise InputError(f"--max-calls must be 0 or more, got {self.max_calls}")


@dataclass(frozen=True, slots=True)
class Call:
    """One call that is to be made.

    Attributes:
        messages: What the model is sent.
        seed: Seed of the answer.
        temperature: Temperature of the answer.
        max_tokens: Longest answer.
    """

    messages: tuple[Message, ...]
    seed: int
    temperature: float
    max_tokens: int


class Caller:
    """Makes calls and files the answers.

    Attributes:
        budget: How many requests there may be.
        input_tokens: Tokens sent, as the server counts; None once an answer came without a count.
        output_tokens: Tokens received, likewise.
    """

    def __init__(self, model: LanguageModel, journal: JudgeJournal, limits: CallLimits) -> None:
        self.budget = Budget(limits.max_calls)
        self.input_tokens: int | None = 0
        self.output_tokens: int | None = 0
        self._model = model
        self._journal = journal
        self._limits = limits
        self._in_a_row = 0
        self._stop: ModelError | BudgetReached | None = None

    @property
    def calls(self) -> int:
        """Requests sent so far, repetitions included where the model tells of them."""
        return self.budget.calls

    @property
    def parallel(self) -> int:
        """Calls at once."""
        return useful_at_once(self._model, self._limits.concurrency)

    async def fetch(self, wanted: Mapping[str, Call], progress: Progress | None = None) -> dict[str, str]:
        """Makes the calls; the answers are in the journal then.

        Returns:
            Why a call gave no answer, by key, for those that gave none.

        Raises:
            BudgetReached: `max_calls` is used up; calls in flight were waited for and their answers kept.
            ModelUnavailable: `give_up` calls in a row failed.
            RunFolderError: Another process writes to the journal; nothing was asked.
            StorageError: The journal cannot be written.
        """
        failures: dict[str, str] = {}
        done = 0
        self._stop = None
        if wanted:
            self._journal.begin()
            if (check := getattr(self._model, "check", None)) is not None:
                check()
            wanted = {key: call for key, call in wanted.items() if key not in self._journal}

        async def ask(wish: tuple[str, Call]) -> None:
            nonlocal done
            reason = await self._ask(*wish)
            if reason is not None:
                failures[wish[0]] = reason
            done += 1
            if progress is not None:
                progress(done, len(wanted))

        await pooled(ask, self._allowed(iter(wanted.items())), min(self.parallel, len(wanted)))
        if self._stop is not None:
            raise self._stop
        return failures

    def _allowed(self, waiting: Iterator[tuple[str, Call]]) -> Iterator[tuple[str, Call]]:
        while self._stop is None:
            item = next(waiting, None)
            if item is None:
                return
            try:
                self.budget.take(self._kept())
            except BudgetReached as reached:
                self._stop = reached
                return
            yield item

    async def _ask(self, key: str, call: Call) -> str | None:
        began = time.monotonic()
        try:
            reply = await self._model.generate(
                call.messages, seed=call.seed, temperature=call.temperature, max_tokens=call.max_tokens
            )
        except ModelError as error:
            self._journal.fail(key, str(error), model=self._model.name, seed=call.seed)
            self._in_a_row += 1
            if self._in_a_row >= self._limits.give_up and self._stop is None:
                self._stop = ModelUnavailable(
                    f"{self._in_a_row} calls in a row gave no answer, so no more are made ({error}); {self._kept()}"
                )
            return f"no answer: {error}"
        used = reply.usage
        self._in_a_row = 0
        self.budget.calls += max(0, used.calls - 1)
        self.input_tokens = _added(self.input_tokens, used.input_tokens)
        self.output_tokens = _added(self.output_tokens, used.output_tokens)
        answer = Answer(reply.text, max(1, used.calls), used.input_tokens, used.output_tokens, time.monotonic() - began)
        self._journal.keep(key, answer, model=self._model.name, seed=call.seed)
        return None

    def _kept(self) -> str:
        if self._journal.path is None:
            return "no journal was named, so the answers so far are kept only as long as this coder"
        return f"{len(self._journal)} answers are kept in {self._journal.path}: the same command goes on from there"


def _added(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more
