"""Help pages that fit the screen: an example too long for a line goes on in the next, as a shell reads it."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    import typer

_FURTHER = "  "
_WHOLE = 1_000


class Page(TyperCommand):
    """A command whose examples fit the screen."""

    def get_help(self, ctx: Any) -> str:
        """The help page."""
        return folded(super().get_help(ctx), shutil.get_terminal_size().columns)

    def get_short_help_str(self, limit: int = _WHOLE) -> str:
        """The first sentence, whole: a list of commands breaks it into lines."""
        return super().get_short_help_str(max(limit, _WHOLE))


class GroupPage(TyperGroup):
    """A group of commands whose examples fit the screen."""

    def get_help(self, ctx: Any) -> str:
        """The help page."""
        return folded(super().get_help(ctx), shutil.get_terminal_size().columns)

    def get_short_help_str(self, limit: int = _WHOLE) -> str:
        """The first sentence, whole: a list of commands breaks it into lines."""
        return super().get_short_help_str(max(limit, _WHOLE))


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
