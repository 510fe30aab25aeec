"""Models without a model: fixed replies for tests, examples and continuous integration, and replies of a language model
that were kept in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson

from maieutic.domain.episode import Usage
from maieutic.domain.randomness import derive_seed
from maieutic.errors import InputError, StorageError, UnreadableFile, why
from maieutic.prompts import prompt
from maieutic.protocols import LanguageModel, Message, Reply
from maieutic.registry import model

NEUTRAL_REPLIES = (
    "What was happening just before that came up?",
    "Could you say a little more about this?",
    "And what did that mean to you at the time?",
    "How did you feel while it was going on?",
    "Which part of it weighs on you most today?",
    "I would like to understand this better. What comes to mind first?",
    "What did you do after that?",
    "If we stay with this a moment, what do you notice?",
    "Has there been a day when it went otherwise?",
    "What would you want to look at next?",
)


class ScriptedModel:
    """Gives prepared replies; the same messages and seed always get the same one.

    For tests, examples and continuous integration: its replies are no therapy, and no score of it says anything about
    a language model. It reports no token counts.

    Attributes:
        name: 'scripted', or what the maker gave.
        parallel: How many calls at once are useful.
        local: True: it answers in this process.
    """

    parallel = 1024
    local = True

    def __init__(
        self, replies: Sequence[str] | Callable[[Sequence[Message], int], str], *, name: str = "scripted"
    ) -> None:
        """Keep the replies.

        Args:
            replies: Replies by turn (the number of earlier assistant messages picks one, round and round), or a
                function of messages and seed.
            name: How the model is named in tables.
        """
        if not callable(replies) and not replies:
            raise InputError("a scripted model needs one reply or more")
        self.name = name
        self._replies = replies

    async def generate(
        self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
    ) -> Reply:
        """The prepared reply; temperature and length limit change nothing."""
        if callable(self._replies):
            return Reply(self._replies(messages, seed), Usage(calls=1))
        spoken = sum(message["role"] == "assistant" for message in messages)
        return Reply(self._replies[spoken % len(self._replies)], Usage(calls=1))

    async def close(self) -> None:
        """Nothing is held open."""


def neutral_reply(messages: Sequence[Message], seed: int) -> str:
    """One of the built-in replies, picked by the seed and the number of messages."""
    return NEUTRAL_REPLIES[derive_seed("scripted", seed, len(messages)) % len(NEUTRAL_REPLIES)]


@model("scripted")
def make_scripted(spec: str) -> ScriptedModel:
    """`scripted` → the built-in neutral therapist replies."""
    if spec != "scripted":
        raise InputError(f"{spec!r}: the scripted model takes no part after its name; write 'scripted'")
    return ScriptedModel(neutral_reply)


_KIND = "recorded replies"


def reply_key(messages: Sequence[Message]) -> str:
    """What a reply is filed under: 32 hex digits of a hash of the messages."""
    parts = [[message["role"], message["content"]] for message in messages]
    return hashlib.sha256(orjson.dumps(parts)).hexdigest()[:32]


class RecordedModel:
    """Gives the replies of a file again, whatever the seed.

    A request without a reply, and a prompt that is not the one recorded, are errors of the user's and no failures of a
    model, so that nothing takes the place of a reply that is missing.

    Attributes:
        name: The model that was recorded.
        parallel: How many calls at once are useful.
        local: True: it answers in this process.
    """

    parallel = 1024
    local = True

    def __init__(self, file: Path) -> None:
        """Read a file that `Recorder` wrote.

        Raises:
            UnreadableFile: The file is missing or holds no recorded replies.
            InputError: A prompt has changed since it was recorded.
        """
        try:
            head, *lines = map(orjson.loads, file.read_bytes().splitlines())
            if head["kind"] != _KIND:
                raise KeyError("kind")
            self.name, self.recorded = str(head["model"]), str(head["recorded"])
            self._replies = {str(line["key"]): str(line["reply"]) for line in lines}
            prompts: dict[str, str] = dict(head["prompts"])
        except OSError as error:
            raise UnreadableFile(f"{file} cannot be read ({why(error)})") from error
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise UnreadableFile(f"{file} holds no recorded replies ({type(error).__name__}: {error})") from error
        changed = sorted(name for name, known in prompts.items() if prompt(name).hash != known)
        if changed:
            raise InputError(f"{file} is stale: {', '.join(changed)} changed since {self.recorded}; record it anew")
        self.file = file

    async def generate(
        self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
    ) -> Reply:
        """The recorded reply. Raises `InputError` where there is none."""
        key = reply_key(messages)
        if key not in self._replies:
            raise InputError(
                f"{self.file} has no reply to a request that ends {messages[-1]['content'][-60:]!r}: the patients, the "
                "cases or the talk are not those recorded; record it anew"
            )
        return Reply(self._replies[key], Usage(calls=1))

    async def close(self) -> None:
        """Nothing is held open."""


class Recorder:
    """Passes requests on to a model and keeps its replies; what was asked before is not asked again.

    Attributes:
        model: The model.
        replies: Its replies, by `reply_key`.
        name: Its name.
    """

    def __init__(self, model: LanguageModel, replies: dict[str, str] | None = None) -> None:
        self.model, self.name = model, model.name
        self.replies = {} if replies is None else replies

    async def generate(
        self, messages: Sequence[Message], *, seed: int, temperature: float = 0.7, max_tokens: int = 256
    ) -> Reply:
        """The model's reply. Raises `ModelError` as it does."""
        key = reply_key(messages)
        if key in self.replies:
            return Reply(self.replies[key], Usage())
        reply = await self.model.generate(messages, seed=seed, temperature=temperature, max_tokens=max_tokens)
        self.replies[key] = reply.text
        return reply

    async def close(self) -> None:
        """Close the model behind it."""
        await self.model.close()

    def write(self, file: Path, prompts: Sequence[str], recorded: str) -> None:
        """Keep all replies so far, with the prompts they belong to. Raises `StorageError`."""
        hashes = {name: prompt(name).hash for name in prompts}
        head: dict[str, Any] = {"kind": _KIND, "model": self.name, "recorded": recorded, "prompts": hashes}
        lines = [head, *({"key": key, "reply": reply} for key, reply in sorted(self.replies.items()))]
        try:
            file.write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        except OSError as error:
            raise StorageError(f"{file} cannot be written ({why(error)})") from error


@model("recorded")
def make_recorded(spec: str) -> RecordedModel:
    """`recorded:FILE` → the replies in it."""
    file = spec.partition(":")[2]
    if not file:
        raise InputError("recorded replies lie in a file: write recorded:FILE")
    return RecordedModel(Path(file))
