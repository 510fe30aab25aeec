"""Commands that join by entry point, and help pages that fit the screen: an example too long for a line goes on in the
next, as a shell reads it."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable, MutableMapping
from functools import cached_property
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from maieutic.doors import PACKAGED, Brought, joined, stale
from maieutic.errors import InputError

_FURTHER = "  "
_WHOLE = 1_000


class _Folded:
    """A help page whose examples fit the screen."""

    def get_help(self, ctx: Any) -> str:
        """The help page."""
        return folded(super().get_help(ctx), shutil.get_terminal_size().columns)  # type: ignore[misc]

    def get_short_help_str(self, limit: int = _WHOLE) -> str:
        """The first sentence, whole: a list of commands breaks it into lines."""
        return str(super().get_short_help_str(max(limit, _WHOLE)))  # type: ignore[misc]


class Page(_Folded, TyperCommand):
    """A command whose examples fit the screen."""


class GroupPage(_Folded, TyperGroup):
    """A group of commands whose examples fit the screen."""


def folded(page: str, columns: int) -> str:
    """The page with examples of at most so many columns; one whose single words are longer keeps them whole."""
    return "\n".join(
        part
        for line in page.splitlines()
        # All else was folded before: what is too wide still is a line that was to stay whole.
        for part in (_lines(line, columns) if len(line) > columns else (line,))
    )


def _lines(example: str, columns: int) -> list[str]:
    margin = example[: len(example) - len(example.lstrip())]
    found = [margin]
    for word in shlex.split(example, posix=False):
        last = found[-1]
        if last.strip() and len(last) + 1 + len(word) + len(" \\") > columns:
            found[-1] = f"{last} \\"
            found.append(f"{margin}{_FURTHER}{word}")
        else:
            found[-1] = f"{last} {word}" if last.strip() else f"{margin}{word}"
    return found


def use_pages(app: typer.Typer) -> None:
    """Every command of an app and of its groups gets such a page."""
    if not isinstance(app.info.cls, type) or not issubclass(app.info.cls, GroupPage):
        app.info.cls = GroupPage
    for command in app.registered_commands:
        command.cls = Page
    for group in app.registered_groups:
        group.cls = GroupPage
        if group.typer_instance is not None:
            use_pages(group.typer_instance)


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
