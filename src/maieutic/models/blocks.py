"""A reply that comes out the same whatever else is computed: in which steps, and which slot still holds the first.

A transformer on a processor gives other last bits to a text that was generated word by word, to one that was read at
once, and to one that was read in two pieces. So a conversation is always read in the same pieces, its blocks: what came
before the first reply, then each reply with what was answered to it. No block is laid on generated words. A slot that
holds the blocks so far goes on from there; another computes them again, to the same bits. The system prompt may be a
block of its own: most conversations begin with the same one, which a slot then still holds of the one before.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

SPARE: Final = 4
"""Slots of all copies together beyond one a conversation, at most two and at least one a copy: one that just ended
would push out one that waits. Each costs memory (`Engine.parallel`)."""
BOUNDARY: Final = {"role": "assistant", "content": "§"}
"""Begins as no reply does: what a slot shares with a conversation that goes on so ends where the reply began. All rests
on the runtime reading a last assistant message as the beginning of a reply, after the same marks as a generated one."""
_REMEMBERED: Final = 10_000


def slots_a_copy(parallel: int, copies: int) -> int:
    """How many slots each of the copies holds for so many conversations at a time."""
    return -(-parallel // copies) + min(2, max(1, SPARE // copies))


@dataclass(frozen=True, slots=True)
class Blocks:
    """A conversation in blocks: after how many messages each ends, and a mark of all up to there.

    Attributes:
        prompted: The first block is the system prompt alone.
    """

    ends: tuple[int, ...]
    marks: tuple[int, ...]
    prompted: bool = False

    @property
    def own(self) -> tuple[int, ...]:
        """The marks of all blocks but the last; none where that is the system prompt, which others share."""
        return () if self.prompted and len(self.marks) == 2 else self.marks[:-1]


def blocks_of(messages: Sequence[Mapping[str, Any]], *, prompt_apart: bool = False) -> Blocks:
    """The blocks of a conversation whose next turn is the model's; `prompt_apart`: a system prompt is one."""
    ends, marks, running = [], [], 0
    prompted = prompt_apart and len(messages) > 1 and messages[0]["role"] == "system"
    for place, message in enumerate(messages):
        if place and (message["role"] == "assistant" or (prompted and place == 1)):
            ends.append(place)
            marks.append(running)
        running = hash((running, message["role"], str(message["content"])))
    return Blocks((*ends, len(messages)), (*marks, running), prompted)


@dataclass(slots=True)
class _Slot:
    held: tuple[int, ...] = ()
    used: int = 0

    def reaches(self, before: tuple[int, ...]) -> bool:
        """Whether these blocks are its own, or all but its last (a question beside the conversation, another try)."""
        return bool(before) and before in (self.held, self.held[:-1])


@dataclass(slots=True)
class Slots:
    """The slots of all copies of a runtime and the blocks that each holds."""

    copies: int
    each: int
    _slots: list[list[_Slot]] = field(init=False)
    _busy: list[int] = field(init=False)
    _too_long: dict[int, None] = field(init=False, default_factory=dict)
    _clock: int = field(init=False, default=0)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._slots = [[_Slot() for _ in range(self.each)] for _ in range(self.copies)]
        self._busy = [0] * self.copies

    @contextmanager
    def place(self, blocks: Blocks) -> Iterator[int]:
        """The copy that holds all blocks or all but the last, else the one with least to do; counted as busy
        meanwhile."""

        def knows(slot: _Slot) -> bool:
            return slot.held == blocks.marks or slot.reaches(blocks.own)

        with self._lock:
            known = (n for n, slots in enumerate(self._slots) if any(map(knows, slots)))
            copy = next(known, self._busy.index(min(self._busy)))
            self._busy[copy] += 1
        try:
            yield copy
        finally:
            with self._lock:
                self._busy[copy] -= 1

    def slot(self, copy: int, blocks: Blocks, *, whole: bool = False) -> tuple[int, int]:
        """A slot of the copy and how many blocks it holds already (`whole`: or all); what it holds is unknown until it
        is told."""
        before = blocks.own
        with self._lock:
            slots = self._slots[copy]
            # One that holds all, then one whose last block this is, then one that would lose a block of its own.
            same = [n for n, one in enumerate(slots) if whole and one.held == blocks.marks]
            own = [n for n, one in enumerate(slots) if before and one.held == before]
            near = [n for n, one in enumerate(slots) if one.reaches(before)]
            found = next(iter((*same, *own, *near)), None)
            slot = min(range(len(slots)), key=lambda n: slots[n].used) if found is None else found
            shared = int(blocks.prompted and slots[slot].held[:1] == blocks.marks[:1])
            self._clock += 1
            slots[slot].held, slots[slot].used = (), self._clock
            return slot, len(blocks.marks) if same else shared if found is None else len(before)

    def holds(self, copy: int, slot: int, marks: tuple[int, ...]) -> None:
        """Say what a slot holds now."""
        with self._lock:
            self._slots[copy][slot].held = marks

    def too_long(self, blocks: Blocks) -> bool:
        """Whether the conversation goes on from one that the context did not hold."""
        with self._lock:
            return any(mark in self._too_long for mark in blocks.marks)

    def was_too_long(self, mark: int) -> None:
        """Remember a conversation that the context does not hold."""
        with self._lock:
            self._too_long[mark] = None
            if len(self._too_long) > _REMEMBERED:
                del self._too_long[next(iter(self._too_long))]
