"""Many things asked for at once, so many at a time, and none left under way when one of them stops the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeVar

from maieutic.errors import BudgetReached

Item = TypeVar("Item")
Result = TypeVar("Result")


async def pooled(do: Callable[[Item], Awaitable[Result]], items: Iterable[Item], at_once: int) -> list[Result]:
    """What `do` gives for each item, in their order, `at_once` at a time.

    The first exception stops all, but what is under way when a budget is used up is waited for: it is paid for.
    """
    waiting, found = enumerate(items), dict[int, Result]()

    async def work() -> None:
        for place, item in waiting:
            found[place] = await do(item)
            await asyncio.sleep(0)  # what never waits lets the others go on, too

    tasks = [asyncio.ensure_future(work()) for _ in range(max(1, at_once))]
    try:
        await asyncio.gather(*tasks)
    except BudgetReached:
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return [found[place] for place in sorted(found)]


def useful_at_once(model: Any, most: int) -> int:
    """How many calls at once a model can use: what it says itself, one at least and `most` at most."""
    return max(1, min(most, int(getattr(model, "parallel", most))))
