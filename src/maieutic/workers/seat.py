"""A worker's side: carries out its orders at once, tells what must not be lost, and waits until it was taken down."""

from __future__ import annotations

import asyncio
from typing import Any

from maieutic.errors import BudgetReached
from maieutic.workers.contract import Down, Fault, Job, Up


class Seat:
    """One worker, however it is reached: `exchange` is all that is ever asked of it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._under_way: dict[int, asyncio.Task[None]] = {}
        self._notes: list[tuple[int, Any]] = []
        self._told: list[asyncio.Future[None]] = []
        self._on_their_way: list[asyncio.Future[None]] = []
        self._done: list[tuple[int, Any]] = []
        self._faults: list[tuple[int, Fault]] = []
        self._stopped: list[int] = []
        self._stop = False
        self._news = asyncio.Event()

    async def exchange(self, down: Down) -> Up:
        """Take orders, and answer as soon as there is something to say; at once when nothing is under way."""
        self._stop = self._stop or down.stop
        for note in self._on_their_way:
            if not note.done():
                note.set_result(None)
        for number, order in down.orders:
            self._under_way[number] = asyncio.ensure_future(self._carry_out(number, order))
        if self._under_way:
            await self._news.wait()
        up = Up(tuple(self._notes), tuple(self._done), tuple(self._faults), tuple(self._stopped))
        self._on_their_way = self._told
        self._notes, self._told, self._done, self._faults, self._stopped = [], [], [], [], []
        self._news.clear()
        return up

    async def _carry_out(self, number: int, order: Any) -> None:
        async def tell(note: Any) -> None:
            taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._notes.append((number, note))
            self._told.append(taken)
            self._news.set()
            await taken
            if self._stop:
                raise BudgetReached("the run is to stop")

        try:
            result = await self._job.do(order, tell)
            self._done.append((number, result))
        except BudgetReached:
            self._stopped.append(number)
        except Exception as error:
            self._faults.append((number, Fault.of(error)))
        finally:
            del self._under_way[number]
            self._news.set()
