"""What every model here gives back for a conversation: a turn and what is said beside it; made beside the event
loop, so that a short one does not stand behind a long one, and kept, so that a long conversation costs one turn."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

from maieutic.domain.episode import Ending, Speaker, Turn
from maieutic.safety.handover import handover_for
from maieutic.safety.risk import assess, sure_grade
from maieutic.serving.request import Said

T = TypeVar("T")
Key = bytes


@dataclass(frozen=True, slots=True)
class Prefixes(Generic[T]):
    """Conversations by all that was said in them. Nothing hangs on what is kept but the time that a reply takes.

    Attributes:
        most: Prefixes kept.
        room: Characters of the kept conversations together, at most.
    """

    most: int = 2_000
    room: int = 20_000_000
    _kept: OrderedDict[Key, tuple[T, int]] = field(default_factory=OrderedDict, repr=False)
    _size: list[int] = field(default_factory=lambda: [0], repr=False)

    def get(self, key: Key) -> T | None:
        """What is kept of a conversation."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: Key, value: T, size: int) -> None:
        """Keep a conversation of so many characters."""
        before = self._kept.pop(key, None)
        self._size[0] += size - (before[1] if before else 0)
        self._kept[key] = value, size
        while self._kept and (len(self._kept) > self.most or self._size[0] > self.room):
            _, (_, gone) = self._kept.popitem(last=False)
            self._size[0] -= gone

    def __len__(self) -> int:
        return len(self._kept)


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
    """Active danger; of a therapist's turn, which may ask about risk, only what sure rules read in the first person."""
    return (sure_grade(text) if speaker == "therapist" else assess(text).grade) == "active"


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
