"""The one way to render the pages of runs: our style and the view of a session are there for every template."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment(folder: Path | None = None) -> Environment:
    """Templates of this folder, and of another one; they escape what they show, and a name that is not there is an
    error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader([*([folder] if folder else []), Path(__file__).parent])
    page = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    page.filters["breakable"] = _breakable
    return page


def _breakable(name: str) -> Any:
    """A name that may be broken after its punctuation, escaped; a model's address is long."""
    from markupsafe import Markup, escape

    return Markup("").join(escape(sign) + Markup("<wbr>" if sign in ":/#@" else "") for sign in name)
