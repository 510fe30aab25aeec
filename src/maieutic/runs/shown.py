"""The one look of results: how pages are rendered, tables in a terminal and on a page, and lines as they are.

On a page what is shown is escaped, and a name that is not there is an error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as OnScreen
    from rich.text import TextType


TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment(*folders: Path) -> Environment:
    """The templates of these folders, and the frame, style and parts of all pages; the first that has one gives it."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    page = Environment(
        loader=FileSystemLoader((*folders, TEMPLATES)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page.filters["breakable"] = _breakable
    return page


def _breakable(name: str) -> Any:
    """A name that may be broken after its punctuation, escaped; a model's address is long."""
    from markupsafe import Markup, escape

    return Markup("").join(escape(sign) + Markup("<wbr>" if sign in ":/#@" else "") for sign in name)


class Table(NamedTuple):
    """A table of shown cells, as it is: on a page (`tables.html.j2`) and in a terminal.

    Attributes:
        heading: Above it; '' for none.
        columns: Heads.
        rows: Cells.
    """

    heading: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def on_screen(
        self,
        *,
        right: Collection[int] = (),
        whole: Collection[int] = (),
        close: bool = False,
        tones: Mapping[int, str] = MappingProxyType({}),
        cuts: Collection[int] = (),
    ) -> OnScreen:
        """For a terminal.

        Args:
            right: Columns that stand at the right.
            whole: Columns that are never broken.
            close: Leave one blank between columns.
            tones: Style of a row's first cell.
            cuts: Rows with an empty line below.
        """
        from rich.text import Text

        shown = plain_table(Text(self.heading, "table.title") if self.heading else None, close=close)
        for place, name in enumerate(self.columns):
            shown.add_column(
                Text(name), justify="right" if place in right else "left", no_wrap=place in whole, overflow="fold"
            )
        for number, (first, *others) in enumerate(self.rows):
            shown.add_row(Text.assemble((first, tones.get(number, ""))), *map(Text, others), end_section=number in cuts)
        return shown


def plain_table(title: TextType | None = None, *, close: bool = False) -> OnScreen:
    """A table with a rule below its heads and none around it; `close` leaves one blank between columns."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    table.collapse_padding = close
    return table


def put(console: Console, text: str, *, whole: bool = False, style: str | None = None) -> None:
    """A line as it is, no markup read in it; a `whole` one is never broken, so that it can be copied."""
    console.print(text, markup=False, highlight=False, soft_wrap=whole, style=style)
