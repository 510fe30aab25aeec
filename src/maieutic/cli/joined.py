"""Commands by entry point: each room brings its own, as other packages can, and one is opened when it is called.

The group `maieutic.commands` has the commands themselves, as functions or as apps with commands of their own;
`maieutic.commands.NAME` has those of the group NAME.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from functools import cached_property
from typing import Any

import typer
from typer.main import get_command, get_group

from maieutic.cli.pages import GroupPage, Page, use_pages
from maieutic.doors import PACKAGED, Brought, joined, stale
from maieutic.errors import InputError

ORDER = tuple(PACKAGED["commands"].split())
"""How the list of commands begins; those of other packages follow by name."""


class Joined(GroupPage):
    """A group whose commands come by entry point, beside its own; each is loaded at its first use."""

    door = "commands"
    order: tuple[str, ...] = ORDER

    def list_commands(self, ctx: Any) -> list[str]:
        """Its commands, the packaged ones in their order."""
        known = {*self._own, *self._brought}
        if not self._own and not any(one.points for one in self._brought.values()):
            raise stale(f"maieutic.{self.door}", self.order[0])
        return [*(name for name in self.order if name in known), *sorted(known - {*self.order})]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name, or None; one that cannot be loaded says why, in a list too, and stops no other."""
        if cmd_name not in self._own:
            point = self._brought.get(cmd_name)
            if point is None:
                return None
            self._own[cmd_name] = _made_of(point)
        return self._own[cmd_name]

    @cached_property
    def _brought(self) -> dict[str, Brought]:
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


def _made_of(brought: Brought) -> Any:
    try:
        found = brought.load()
        try:
            return made(brought.name, found)
        except Exception as error:  # such as a parameter that no option can have
            raise brought.fault(error) from error
    except InputError as error:
        return _refusing(brought.name, error)


def _refusing(name: str, error: InputError) -> Any:
    """In place of a command that cannot be loaded: whoever calls it, with whatever options, gets the reason."""

    def refuse() -> None:
        raise error

    refuse.__doc__ = f"(cannot be used: {error})"
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    alone.command(name, cls=Page, add_help_option=False, context_settings=anything)(refuse)
    return get_command(alone)


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
