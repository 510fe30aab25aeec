"""`maieutic measures`: every measure in a line, or one in full."""

from __future__ import annotations

from itertools import groupby
from typing import Annotated

import typer

from maieutic.cli.screen import say


def measures(
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="A measure, to read its whole definition.")] = None,
) -> None:
    """List the measures with what each says, or print the whole definition of one.

    \b
    Examples:
      maieutic measures
      maieutic measures reflection_rate
    """
    from maieutic.scoring.measure_page import listed, told

    if id is not None:
        say(told(id), whole=True)
        return
    for group, members in groupby(listed(), key=lambda row: row[0]):
        say(f"\n{group}", whole=True)
        for _, name, meaning in members:
            say(f"  {name}: {meaning}", whole=True)
