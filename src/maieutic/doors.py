"""What installed packages bring by entry point, this one among them: nothing is loaded before it is asked for."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from maieutic.errors import InputError


def joined(group: str) -> dict[str, EntryPoint]:
    """What installed packages bring under the entry-point group `maieutic.GROUP`, by name; nothing is loaded yet."""
    return {point.name: point for point in entry_points(group=f"maieutic.{group}")}


def opened(name: str) -> Any:
    """What a wing keeps ready in the group `maieutic.doors` for a command of the core.

    Raises:
        InputError: nothing is there under this name.
    """
    point = joined("doors").get(name)
    if point is None:
        raise stale(repr(name))
    return point.load()


def stale(missing: str) -> InputError:
    """The error of an installed package that does not name what its code has."""
    return InputError(
        f"the installed maieutic names no {missing}: its entry points are older than its code; install it again"
    )
