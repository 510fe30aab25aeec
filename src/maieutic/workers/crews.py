"""`crew_of()`: what the user asked for → workers that are ready."""

from __future__ import annotations

from maieutic.runs.division import WorkersSpec
from maieutic.workers.contract import HERE, Crew, Maker
from maieutic.workers.processes import Processes


def crew_of(spec: WorkersSpec, make: Maker, *, own_cores: bool = False) -> Crew:
    """Workers on this machine or on a Ray cluster, each with its job made.

    Args:
        own_cores: Each gets cores of its own, since its job computes on all it may use.

    Raises:
        InputError: no cluster there, a worker with another version or without a file, too few cores.
    """
    if spec.address is None:
        return Processes(spec.count, make, own_cores=own_cores)
    from maieutic.workers.ray_cluster import RayCrew

    return RayCrew(spec.address, make, own_cores=own_cores)


def ready(crew: Crew, seconds: float) -> str:
    """How many workers there are and what it cost to begin, in one line."""
    places = len(set(crew.hosts))
    where = "" if crew.hosts[0] == HERE else f" on {places} machine{'s' * (places > 1)}"
    return f"{len(crew.hosts)} worker{'s' * (len(crew.hosts) > 1)}{where} ready after {seconds:.1f} s"
