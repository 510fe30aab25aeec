"""Which copy of a runtime computes which conversation: the one that knows its beginning, unless others have much less
to do."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

REMEMBERED = 50_000
"""Beginnings of conversations whose copy is known; the longest unused are forgotten first."""
WORTH_WAITING = 1
"""Conversations more than elsewhere that a copy may be busy with and still get the one whose beginning it knows."""


class Placing:
    """Divides conversations among copies. A system prompt with a first message is no beginning worth staying for."""

    def __init__(self, copies: int) -> None:
        self._busy = [0] * copies
        self._known: OrderedDict[int, int] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def place(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[int]:
        """The copy for this conversation, counted as busy with it meanwhile."""
        beginnings = _beginnings(messages)
        with self._lock:
            copy = self._chosen(beginnings)
            self._busy[copy] += 1
            for beginning in beginnings:
                self._known[beginning] = copy
                self._known.move_to_end(beginning)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        try:
            yield copy
        finally:
            with self._lock:
                self._busy[copy] -= 1

    def _chosen(self, beginnings: Sequence[int]) -> int:
        least = min(self._busy)
        known = next((self._known[one] for one in reversed(beginnings) if one in self._known), None)
        if known is not None and self._busy[known] <= least + WORTH_WAITING:
            return known
        return self._busy.index(least)


def _beginnings(messages: Sequence[Mapping[str, Any]]) -> list[int]:
    """A mark for the first three messages, the first four, and so on."""
    marks, running = [], 0
    for number, message in enumerate(messages, 1):
        running = hash((running, message["role"], str(message["content"])))
        if number > 2:
            marks.append(running)
    return marks
