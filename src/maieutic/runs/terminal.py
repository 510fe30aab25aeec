"""The one look of results in a terminal: tables without a frame, and lines as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def plain_table(title: str | None = None, *, close: bool = False) -> Table:
    """A table with a rule below its heads and none around it; `close` leaves one blank between columns."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    table.collapse_padding = close
    return table


def put(console: Console, text: str, *, whole: bool = False, style: str | None = None) -> None:
    """A line as it is, no markup read in it; a `whole` one is never broken, so that it can be copied."""
    console.print(text, markup=False, highlight=False, soft_wrap=whole, style=style)
