"""Turns that are computed here are made beside the event loop, so that a short one does not stand behind a long one."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Final, TypeVar

T = TypeVar("T")
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
