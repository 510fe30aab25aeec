"""Workers that are actors on a Ray cluster: the one file that imports Ray.

Ray core only. An actor answers one `exchange` at a time with a few kilobytes, which travel inline and never enter the
object store; whatever must not be lost is with the driver before the actor goes on, so no Ray checkpoint is needed.
"""

from __future__ import annotations

import os
import socket
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from maieutic.errors import InputError
from maieutic.workers.team import Down, Fault, Lost, Maker, Seat, Up

if TYPE_CHECKING:
    from types import ModuleType

INSTALL = "pip install 'maieutic[ray]'"
_REACHED_WITHIN = 5.0
_BEGUN_WITHIN = 120.0
_MAX_CORES = 8


class RaySeat:
    """A worker as Ray sees it."""

    def where(self) -> tuple[str, str, tuple[int, ...]]:
        """Its node, the node's name, and the cores it may use."""
        import ray

        return ray.get_runtime_context().get_node_id(), socket.gethostname(), tuple(sorted(os.sched_getaffinity(0)))

    async def begin(self, make: Maker, cores: tuple[int, ...]) -> Fault | None:
        """Makes the job, on these cores; says what went wrong, if anything did."""
        os.sched_setaffinity(0, cores)
        try:
            self._seat = Seat(make())
        except Exception as error:
            return Fault.of(error)
        return None

    async def exchange(self, down: Down) -> Up:
        """See `Seat`."""
        return await self._seat.exchange(down)


class RayCrew:
    """One actor a free CPU, or one a share of a node where the job computes on all cores it may use."""

    def __init__(self, address: str, make: Maker, *, own_cores: bool = False) -> None:
        """Connect, place the actors, and wait until each has made its job.

        Raises:
            InputError: Ray is not installed, no cluster answers, no CPU is free, or what a worker said of its job.
        """
        self._ray = _ray()
        self._connected = not self._ray.is_initialized()
        if self._connected:
            _connect(self._ray, address)
        self._actors: list[Any] = []
        self._asked: dict[Any, int] = {}
        self.hosts: tuple[str, ...] = ()
        try:
            self._begin(make, own_cores)
        except BaseException:
            self.__exit__()
            raise

    def _begin(self, make: Maker, own_cores: bool) -> None:
        ray = self._ray
        nodes = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
        each = min(_MAX_CORES, *(cpus for cpus in nodes if cpus), _MAX_CORES) if own_cores and any(nodes) else 1
        free = int(ray.available_resources().get("CPU", 0))
        count = min(free // each, sum(cpus // each for cpus in nodes))
        if not count:
            raise InputError(
                f"the Ray cluster has no CPU free for a worker: {len(nodes)} nodes with {sum(nodes)} CPUs in all, "
                f"{free} free"
            )
        actor = ray.remote(num_cpus=each, max_restarts=0)(RaySeat)
        placed = {made.where.remote(): made for made in (actor.remote() for _ in range(count))}
        ready, late = ray.wait(list(placed), num_returns=count, timeout=_BEGUN_WITHIN)
        for ref in late:
            ray.kill(placed[ref])
        if not ready:
            raise InputError(f"no worker began within {_BEGUN_WITHIN:.0f} s on the Ray cluster; `ray status` shows why")
        places = [_got(ray, ref) for ref in ready]
        self._actors = [placed[ref] for ref in ready]
        self.hosts = tuple(host for _, host, _ in places)
        slots: Counter[str] = Counter()
        begun = []
        for made, (node, _, cores) in zip(self._actors, places, strict=True):
            slot, slots[node] = slots[node], slots[node] + 1
            mine = cores[slot * each : (slot + 1) * each] if own_cores else cores
            begun.append(made.begin.remote(make, mine or cores))
        for ref, host in zip(begun, self.hosts, strict=True):
            fault = _got(ray, ref)
            if fault is not None:
                raise fault.error(host)

    def send(self, seat: int, down: Down) -> None:
        self._asked[self._actors[seat].exchange.remote(down)] = seat

    def answers(self) -> list[tuple[int, Up | Lost]]:
        self._ray.wait(list(self._asked), num_returns=1)
        ready, _ = self._ray.wait(list(self._asked), num_returns=len(self._asked), timeout=0)
        return [(self._asked.pop(ref), self._answer(ref)) for ref in ready]

    def _answer(self, ref: Any) -> Up | Lost:
        try:
            up: Up = self._ray.get(ref)
        except self._ray.exceptions.RayError as error:
            return Lost(_last_line(error))
        return up

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for actor in self._actors:
            self._ray.kill(actor)
        if self._connected:
            self._ray.shutdown()


def _ray() -> ModuleType:
    """Ray, without its habits of counting users and of starting every worker through `uv run`."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    try:
        import ray
    except ImportError as error:
        raise InputError(f"--workers ray needs Ray: {INSTALL}") from error
    return ray


def _connect(ray: ModuleType, address: str) -> None:
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS", address)
    _reach(address)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Ray warns of here is in the error, too
            ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (ConnectionError, RuntimeError, TimeoutError, ImportError, ValueError) as error:
        where = "no Ray cluster is running on this machine" if address == "auto" else f"the Ray cluster at {address}"
        raise InputError(
            f"{where}: {' '.join(str(error).split()).rstrip('.')}. Start one with `ray start --head`, or use "
            "--workers N"
        ) from error


def _reach(address: str) -> None:
    """Raise `InputError` where nobody listens; Ray itself would try for half a minute and then end the process."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not (colon and port.isdecimal()):
        return
    try:
        socket.create_connection((host, int(port)), _REACHED_WITHIN).close()
    except OSError as error:
        raise InputError(
            f"no Ray cluster answers at {address}: {error.strerror or error}. Start one with `ray start --head`, and "
            "name its client port (10001) as ray://HOST:10001"
        ) from error


def _got(ray: ModuleType, ref: Any) -> Any:
    try:
        return ray.get(ref)
    except ray.exceptions.RayError as error:
        raise InputError(
            f"a worker of the Ray cluster could not begin: {_last_line(error)}. Install the same maieutic on every node"
        ) from error


def _last_line(error: Exception) -> str:
    """The line of Ray's account that says what happened; the rest is the way there."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("The actor died because") or "Error: " in line]
    return (told or lines or [type(error).__name__])[-1]
