"""`crew_of()`: what the user asked for → workers that are ready."""

from __future__ import annotations

from maieutic.workers.contract import Crew, Maker, WorkersSpec
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


__all__ = ["crew_of"]
