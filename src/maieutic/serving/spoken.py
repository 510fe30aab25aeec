"""What every model here gives back for a conversation: a turn and what is said beside it; made beside the event
loop, so that a short one does not stand behind a long one, and kept, so that a long conversation costs one turn."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any, Final, Literal, Protocol, TypeVar

from maieutic.domain.episode import Ending, Speaker, Turn
from maieutic.safety.handover import handover_for
from maieutic.safety.risk import assess, disclosed
from maieutic.serving.request import Said

T = TypeVar("T")
Key = bytes


MAX_KEPT: Final = 20_000_000
"""Characters of the conversations kept, at most. Nothing hangs on them but the time that a reply takes."""
MIN_SIZE: Final = 10_000
"""What a conversation counts at least, so that 2,000 are kept at most."""


def size_of(turns: Iterable[Turn]) -> int:
    """What a conversation counts among those that are kept."""
    return max(MIN_SIZE, sum(len(turn.text) for turn in turns))


def keys(names: Iterable[str | int], texts: Iterable[str]) -> list[Key]:
    """The key of every prefix of a conversation, the empty one first; `names` tell models and seeds apart."""
    chain = [blake2b("\x1f".join(map(str, names)).encode(), digest_size=16).digest()]
    for text in texts:
        chain.append(blake2b(chain[-1] + text.encode(), digest_size=16).digest())
    return chain


History = Literal["none", "own", "foreign", "unverified"]
"""What the assistant's turns of a request are: there are none; this model said them; it cannot have said some; not
known."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reply.

    Attributes:
        turn: What was said.
        history: Whether this model can have said the assistant's turns of the request.
        foreign: Places of the turns that it cannot have said, counted from 0 over all turns.
        handed_over: The reply is the fixed hand-over, or belongs to the staying after it.
        opening: A patient's first words, where the conversation begins as if they had been said.
        hidden: The plan, belief or state behind the reply.
    """

    turn: Turn
    history: History = "none"
    foreign: tuple[int, ...] = ()
    handed_over: bool = False
    opening: str | None = None
    hidden: Mapping[str, Any] | None = None


class Served(Protocol):
    """Something that answers conversations, the same conversation and seed with the same reply."""

    async def reply(self, said: Sequence[Said], seed: int, *, strict: bool) -> Spoken:
        """The next turn. Raises `Refusal`; and `ModelError` where a language model behind it gives none."""
        ...


def in_danger(text: str, speaker: Speaker) -> bool:
    """Active danger; of a therapist's turn, which may ask about risk, only danger of their own."""
    return disclosed(text, active=True) if speaker == "therapist" else assess(text).grade == "active"


def handed_over(speaker: Speaker, *told: str) -> Spoken:
    """The fixed hand-over for what was told, the latest last, in place of a model's turn."""
    return Spoken(Turn(speaker, handover_for(*told), Ending("handed_over", "signs of active danger")), handed_over=True)


MAX_THREADS: Final = 4
"""Turns at once. Networks leave Python's lock while they compute, six tenths of a turn; more would wait for the
rest."""


async def beside(turn: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What a coroutine returns that waits for nobody: computed in another thread, where this process has more than one
    core."""
    threads = _threads()
    if threads is None:
        return await turn()
    return await asyncio.get_running_loop().run_in_executor(threads, _made, turn)


def _made(turn: Callable[[], Coroutine[Any, Any, T]]) -> T:
    computing = turn()
    try:
        computing.send(None)
    except StopIteration as done:
        made: T = done.value
        return made
    computing.close()
    raise RuntimeError("a turn that is made beside the event loop waits for something")


@cache
def _threads() -> ThreadPoolExecutor | None:
    cores = len(os.sched_getaffinity(0))
    return ThreadPoolExecutor(min(cores, MAX_THREADS), thread_name_prefix="turn") if cores > 1 else None
