"""A model without a model: fixed replies for tests, examples and continuous integration."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from maieutic.domain.episode import Usage
from maieutic.domain.randomness import derive_seed
from maieutic.errors import InputError
from maieutic.protocols import Message, Reply
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
def make(spec: str) -> ScriptedModel:
    """`scripted` → the built-in neutral therapist replies."""
    if spec != "scripted":
        raise InputError(f"{spec!r}: the scripted model takes no part after its name; write 'scripted'")
    return ScriptedModel(neutral_reply)
