"""What installed packages bring by entry point, this one among them: nothing is loaded before it is asked for.

A name that two packages bring, and one that cannot be loaded, is refused when it is used, with the package's name; all
other names go on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from maieutic.errors import InputError, MaieuticError

OURS = "maieutic"
PACKAGED = {
    "": "models patients therapists rivals second_world tracking measures",
    "embedders": "minilm",
    "commands": "evaluate gap compare gate tournament leaderboard evidence study score measures code merge report "
    "rescore chat patients validate train serve practice",
    "commands.patients": "import",
    "commands.validate": "tracker agent judge model gap retest",
    "doors": "feedback gate judge_code judge_reread judge_score ratings_ask ratings_read workers_code workers_play "
    "workers_score",
    "reports": "gap",
}
"""What this package itself brings, by group, in order: what an installation lacks of it is older than this code."""


@dataclass(frozen=True, slots=True)
class Brought:
    """A name of a group, with what installed packages bring under it: one entry point, unless something is wrong.

    Attributes:
        ours_too: Whether this package has the name already, without an entry point.
    """

    group: str
    name: str
    points: tuple[EntryPoint, ...] = ()
    ours_too: bool = False

    def load(self) -> Any:
        """What the name stands for.

        Raises:
            InputError: nobody brings it any more, two packages do, or it cannot be loaded; the package is named.
        """
        if not self.points:
            raise stale(self.group, self.name)
        if len(self.points) + self.ours_too > 1:
            packages = " and ".join(sorted([*map(_package, self.points), *[OURS] * self.ours_too]))
            raise InputError(
                f"two packages bring {self.name!r} in the entry-point group {self.group!r}: {packages}; uninstall one"
            )
        (point,) = self.points
        try:
            return point.load()
        except Exception as error:
            # What ours says itself, such as which extra it needs, is for the user already.
            if isinstance(error, MaieuticError) and _package(point) == OURS:
                raise
            raise self.fault(error) from error

    def fault(self, error: Exception) -> InputError:
        """The error of a package whose entry point cannot be used."""
        told = f"{type(error).__name__}: {' '.join(str(error).split())}"
        (point,) = self.points
        return InputError(
            f"the package {_package(point)} brings {self.name!r} in the entry-point group {self.group!r}, but "
            f"{point.value!r} cannot be loaded ({told}); update or uninstall that package"
        )


def joined(group: str, ours: Collection[str] = ()) -> dict[str, Brought]:
    """What installed packages bring under the entry-point group `maieutic.GROUP`, by name; nothing is loaded yet.

    What this package itself should bring and an older installation lacks is there, too, and says so when it is loaded.

    Args:
        ours: Names that this package has without entry points; one that is brought as well is refused when loaded.
    """
    full = f"{OURS}.{group}"
    found: dict[str, tuple[EntryPoint, ...]] = dict.fromkeys(PACKAGED.get(group, "").split(), ())
    for point in _points(full):
        found[point.name] = (*found.get(point.name, ()), point)
    return {name: Brought(full, name, points, name in ours) for name, points in found.items()}


def members() -> tuple[Brought, ...]:
    """What registers members when it is imported: our own rooms, then those of other packages, each by itself.

    Two packages may call theirs alike here: what counts is the names under which members register.
    """
    points = _points(OURS)
    ours = {point.name for point in points if _package(point) == OURS}
    lacking = (Brought(OURS, name) for name in PACKAGED[""].split() if name not in ours)
    return (*lacking, *(Brought(OURS, point.name, (point,)) for point in points))


def own_door(name: str) -> Any:
    """What a wing of this package keeps ready in the group `maieutic.doors`; other packages' doors do not count.

    Raises:
        InputError: an older installation lacks it.
    """
    door = joined("doors").get(name, Brought(f"{OURS}.doors", name))
    return Brought(door.group, name, tuple(point for point in door.points if _package(point) == OURS)).load()


def _points(group: str) -> tuple[EntryPoint, ...]:
    return _read(entry_points, group, tuple(sys.path))


@lru_cache
def _read(find: Callable[..., Iterable[EntryPoint]], group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Reading what is installed opens a file for every package: a battery would do so two dozen times."""
    return tuple(find(group=group))


def stale(group: str, name: str) -> InputError:
    """The error of an installation that lacks what this code has."""
    return InputError(
        f"the installed {OURS} names no {name!r} in the entry-point group {group!r}: it is older than its code. "
        "Run `uv sync` or `pip install -e .` (for a wheel, `pip install --upgrade`) again"
    )


def _package(point: EntryPoint) -> str:
    return "unknown" if point.dist is None else point.dist.name
