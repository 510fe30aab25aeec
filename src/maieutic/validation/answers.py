"""Questions put to a model outside any dialogue, each answer on disk the moment it comes, so that a stopped run can go
on."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from maieutic.domain.episode import Usage
from maieutic.errors import ModelError
from maieutic.protocols import LanguageModel, Message
from maieutic.runs.journal import Checkpoint
from maieutic.runs.work import Tick, pooled, useful_at_once

LETTERS_A_TOKEN = 4
"""English letters that a token stands for, about; for telling beforehand what a run will send."""
_AT_ONCE = 8
_AT_ONCE_HERE = 2
"""Calls at once to a model that computes in this process: more of them end no sooner."""


@dataclass(frozen=True, slots=True)
class Query:
    """One call: what the model is shown, the seed, and the longest answer in tokens."""

    messages: tuple[Message, ...]
    seed: int
    max_tokens: int

    @property
    def tokens(self) -> int:
        """Input tokens, about."""
        return sum(len(message["content"]) for message in self.messages) // LETTERS_A_TOKEN


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a query: a text, or why there is none (the words complete "the model ...")."""

    text: str | None
    missing: str = ""
    usage: Usage = field(default_factory=Usage)


class Answers:
    """One model's answers; those in the file are not asked for again."""

    def __init__(self, model: LanguageModel, path: Path, *, resume: bool, limit: float = 300.0) -> None:
        """Open `path`; what is there is taken over with `resume` and thrown away without. Raises `StorageError`.

        Args:
            model: The model.
            path: JSONL, one usable answer a line. Failures are not kept: they are tried again.
            resume: Whether to go on with what is there.
            limit: Seconds waited for one answer.
        """
        self.model = model
        self.limit = limit
        self._kept = Checkpoint(path, "query", _answer, resume=resume)

    def open_of(self, queries: Sequence[Query]) -> list[Query]:
        """Those that still have to be asked."""
        return [query for query in queries if self._name(query) not in self._kept.found]

    async def ask(self, queries: Sequence[Query], tick: Tick) -> list[Answer]:
        """An answer to each query, in order; `tick` is told of each that is done. A failed call is an answer without
        text.

        Raises:
            StorageError: an answer cannot be kept.
        """

        async def one(query: Query) -> Answer:
            known = self._kept.found.get(self._name(query))
            if known is None:
                known = await self._call(query)
                if known.text is not None:
                    self._keep(query, known)
            tick(1)
            return known

        most = _AT_ONCE_HERE if getattr(self.model, "local", False) else _AT_ONCE
        return await pooled(one, queries, useful_at_once(self.model, most))

    async def _call(self, query: Query) -> Answer:
        try:
            reply = await asyncio.wait_for(
                self.model.generate(query.messages, seed=query.seed, temperature=0.0, max_tokens=query.max_tokens),
                self.limit,
            )
        except TimeoutError:
            return Answer(None, f"gave no answer in time: {self.limit:g} s", Usage(1))
        except ModelError as error:
            return Answer(None, f"failed: {error}", Usage(1))
        return Answer(reply.text, "", reply.usage)

    def _keep(self, query: Query, answer: Answer) -> None:
        name = self._name(query)
        self._kept.found[name] = answer
        self._kept.write({"query": name, "text": answer.text, "usage": answer.usage})

    def _name(self, query: Query) -> str:
        what = orjson.dumps([self.model.name, query.messages, query.seed, query.max_tokens])
        return hashlib.sha256(what).hexdigest()[:24]


def _answer(entry: Mapping[str, Any]) -> Answer:
    return Answer(entry["text"], "", Usage(**entry["usage"]))


def cost_of(queries: Sequence[Query], spec: str) -> str:
    """What asking will cost, in a sentence: calls, and tokens at a rough count."""
    into, out = sum(query.tokens for query in queries), sum(query.max_tokens for query in queries)
    return f"{len(queries)} questions to {spec}: about {into:,} input tokens, at most {out:,} output tokens"
