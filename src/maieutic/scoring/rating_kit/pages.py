"""Renders the pages of the rating kit: what raters read, and the agreement that came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maieutic.runs.pages import environment


def render(name: str, **values: Any) -> str:
    """A page by the name of its template; whatever is put into HTML is escaped, and plain text is not."""
    from jinja2 import select_autoescape

    escapes = select_autoescape(("html.j2",), disabled_extensions=("txt.j2",), default=True)
    pages = environment(Path(__file__).parents[1] / "pages")
    return pages.overlay(autoescape=escapes, keep_trailing_newline=True).get_template(name).render(**values)
