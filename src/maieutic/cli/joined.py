"""Commands by entry point: each room brings its own, as other packages can, and one is opened when it is called.

The group `maieutic.commands` has the commands themselves, as functions or as apps with commands of their own;
`maieutic.commands.NAME` has those of the group NAME.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from functools import cached_property
from importlib.metadata import EntryPoint
from typing import Any

import typer
from typer.main import get_command, get_group

from maieutic.cli.pages import GroupPage, Page, use_pages
from maieutic.doors import joined, stale

ORDER = tuple(
    "evaluate gap compare gate tournament leaderboard evidence study score measures code merge report rescore chat "
    "patients validate train serve practice".split()
)
"""How the list of commands begins; those of other packages follow by name."""


class Joined(GroupPage):
    """A group whose commands come by entry point, beside its own; each is loaded at its first use."""

    door = "commands"
    order: tuple[str, ...] = ORDER

    def list_commands(self, ctx: Any) -> list[str]:
        """Its commands, the packaged ones in their order."""
        known = {*self._own, *self._brought}
        if not known:
            raise stale("commands")
        return [*(name for name in self.order if name in known), *sorted(known - {*self.order})]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name, or None."""
        if cmd_name not in self._own:
            point = self._brought.get(cmd_name)
            if point is None:
                return None
            self._own[cmd_name] = made(cmd_name, point.load())
        return self._own[cmd_name]

    @cached_property
    def _brought(self) -> dict[str, EntryPoint]:
        return joined(self.door)

    @property
    def commands(self) -> MutableMapping[str, Any]:
        """All of them, loaded."""
        return {name: self.get_command(None, name) for name in self.list_commands(None)}

    @commands.setter
    def commands(self, own: MutableMapping[str, Any]) -> None:
        self._own = dict(own)


def joined_group(name: str, order: tuple[str, ...] = ()) -> type[Joined]:
    """The class of a group to which other rooms bring commands, as `cls` of its app."""
    return type(f"Joined_{name}", (Joined,), {"door": f"commands.{name}", "order": order})


def made(name: str, found: Callable[..., Any] | typer.Typer) -> Any:
    """What a room brings, as a command with its help page."""
    if isinstance(found, typer.Typer):
        use_pages(found)
        group = get_group(found)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name, cls=Page)(found)
    return get_command(alone)
