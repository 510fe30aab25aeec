"""The one way to render pages: what is shown is escaped, and a name that is not there is an error."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


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
