"""How far a run is: what it tells as it goes, how long the rest takes, and what a Ctrl-C leaves."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from maieutic.errors import Interrupted

Tick = Callable[[int], None]
"""Told how many steps were done since it was last told."""
Watch = Callable[[int, int, str], None]
"""Told after each step how many are done, how many there are, and the name of what is done."""
FIRST_SECONDS = 3.0
EVERY_SECONDS = 10.0
RATE_OVER_SECONDS = 300.0
_FIRST_STEPS = 2
"""Steps of a fresh run from which no pace is taken: they wait for models and libraries to be loaded."""


class Pace:
    """When to tell how long the rest takes, at the pace of the last five minutes, so that what is read back soon counts
    no more."""

    def __init__(self, done: int) -> None:
        self._marks = deque([(time.monotonic(), done)])

    def tell_left(self, done: int, total: int) -> float | None:
        """The seconds left when a line is due, the first after three seconds and then every ten; None before."""
        now = time.monotonic()
        while len(self._marks) > 1 and now - self._marks[0][0] > RATE_OVER_SECONDS:
            self._marks.popleft()
        if self._marks[0][1] == 0 and 0 < done <= _FIRST_STEPS:
            self._marks = deque([(now, done)])
        since, before = self._marks[0]
        due = FIRST_SECONDS if len(self._marks) == 1 else EVERY_SECONDS
        if now - self._marks[-1][0] < due or done <= before:
            return None
        self._marks.append((now, done))
        return (total - done) * (now - since) / (done - before)


@contextmanager
def stoppable(kept: Callable[[], str]) -> Iterator[None]:
    """A run that Ctrl-C stops with what is kept of it and how to go on: 'interrupted' and what `kept` says."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted{kept()}") from None
