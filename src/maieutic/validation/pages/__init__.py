"""The templates of the validation reports, and the one way to render them and those of the rooms above."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment(package: str = "maieutic.validation") -> Environment:
    """The templates in a package's folder `pages`; they escape what they show, and a name that is not there is an
    error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
