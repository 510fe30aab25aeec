"""Workers that are processes on this machine."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, Self, TypeVar

from maieutic.errors import InputError
from maieutic.runs.work import WorkersSpec
from maieutic.workers.team import HERE, Crew, Down, Fault, Job, Lost, Maker, Seat, Tell, Up, work

_ENDED_WITHIN = 5.0
Item = TypeVar("Item")
Result = TypeVar("Result")


class Processes:
    """Processes, each with a pipe of its own; begun afresh, not forked, since models and threads survive no fork."""

    def __init__(self, count: int, make: Maker, *, own_cores: bool = False) -> None:
        """Begin them, and wait until each has made its job.

        Args:
            count: How many.
            make: Makes the job of each.
            own_cores: Each has cores to itself, for jobs that compute on all they may use.

        Raises:
            InputError: fewer cores than workers with `own_cores`, or what a worker said of its job.
        """
        cores = sorted(os.sched_getaffinity(0))
        if own_cores and count > len(cores):
            raise InputError(
                f"a model computed here needs a core for each of its copies: {count} workers, {len(cores)} cores. "
                f"Ask for --workers {len(cores)} at most"
            )
        each = len(cores) // count
        self._pipes: list[Connection] = []
        self._processes = []
        context = get_context("spawn")
        for number in range(count):
            mine, theirs = context.Pipe()
            place = cores[number * each : (number + 1) * each] if own_cores else cores
            process = context.Process(target=_main, args=(theirs, make, tuple(place)), daemon=True)
            process.start()
            theirs.close()
            self._pipes.append(mine)
            self._processes.append(process)
        self.hosts = (HERE,) * count
        for seat in range(count):
            greeting = self._received(seat)
            if isinstance(greeting, (Fault, Lost)):
                self.__exit__()
                raise (
                    Fault.error(greeting, self.hosts[seat])
                    if isinstance(greeting, Fault)
                    else InputError(f"a worker could not begin: {greeting.why}")
                )

    def send(self, seat: int, down: Down) -> None:
        with suppress(OSError):  # a worker that has died is told of when its end of the pipe is read
            self._pipes[seat].send(down)

    def answers(self) -> list[tuple[int, Up | Lost]]:
        # A pipe whose worker has died stays readable, so those that were told of must be left out.
        open_ones = {pipe: seat for seat, pipe in enumerate(self._pipes) if not pipe.closed}
        return [(open_ones[pipe], self._received(open_ones[pipe])) for pipe in wait(list(open_ones))]  # type: ignore[index]

    def _received(self, seat: int) -> Any:
        try:
            return self._pipes[seat].recv()
        except (EOFError, OSError):
            self._pipes[seat].close()
            process = self._processes[seat]
            process.join(_ENDED_WITHIN)
            return Lost(f"process {process.pid} ended with code {process.exitcode}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.terminate()  # what a worker still does is nobody's any more: all that counts was taken down
        for process in self._processes:
            process.join(_ENDED_WITHIN)


def _main(pipe: Connection, make: Maker, cores: tuple[int, ...]) -> None:
    """A worker's life: ends when the driver's end of the pipe is closed, on Ctrl-C too, which is the driver's to
    answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.sched_setaffinity(0, cores)
    try:
        job = make()
    except Exception as error:
        pipe.send(Fault.of(error))
        return
    pipe.send(Up())
    asyncio.run(_serve(pipe, job))


async def _serve(pipe: Connection, job: Job) -> None:
    seat, loop = Seat(job), asyncio.get_running_loop()
    while True:
        try:
            down = await loop.run_in_executor(None, pipe.recv)
            pipe.send(await seat.exchange(down))
        except (EOFError, OSError):
            os._exit(0)  # whatever is still under way is nobody's any more


class _Plain:
    """The job of calling one function."""

    def __init__(self, do: Callable[[Any], Any]) -> None:
        self._do = do

    async def do(self, order: Any, tell: Tell) -> Any:
        return await asyncio.to_thread(self._do, order[1])  # a function that plays a session runs a loop of its own


def mapped(
    do: Callable[[Item], Result],
    items: Sequence[Item],
    came: Callable[[int, Result], None],
    *,
    workers: int | None = None,
) -> None:
    """Calls `do` for every item, on so many processes (as many as cores by default), and `came` with place and result.

    With one process, or one item, in this one and in order. `do` is a function of a module, for it is called elsewhere.
    """
    count = min(len(items), len(os.sched_getaffinity(0)) if workers is None else workers)
    if count <= 1:
        for place, item in enumerate(items):
            came(place, do(item))
        return
    with Processes(count, partial(_Plain, do)) as crew:
        for (place, _), result in work(crew, [list(enumerate(items))], at_once=count):
            came(place, result)


@contextmanager
def crew_of(spec: WorkersSpec, make: Maker, tell: Callable[[str], None], *, own_cores: bool = False) -> Iterator[Crew]:
    """Workers on this machine or on a Ray cluster, each with its job made; they end with the block.

    Args:
        tell: Told how many workers there are and what it cost to begin, in one line.
        own_cores: Each gets cores of its own, since its job computes on all it may use.

    Raises:
        InputError: no cluster there, a worker with another version or without a file, too few cores.
    """
    began = monotonic()
    if spec.address is None:
        made: Crew = Processes(spec.count, make, own_cores=own_cores)
    else:
        from maieutic.workers.ray_cluster import RayCrew

        made = RayCrew(spec.address, make, own_cores=own_cores)
    with made as crew:
        count, places = len(crew.hosts), len(set(crew.hosts))
        where = "" if crew.hosts[0] == HERE else f" on {places} machine{'s' * (places > 1)}"
        tell(f"{count} worker{'s' * (count > 1)}{where} ready after {monotonic() - began:.1f} s")
        yield crew
