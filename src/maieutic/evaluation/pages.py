"""The pages of runs: our style and the view of a session are there for every template."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maieutic.runs import pages

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(folder: Path | None = None) -> Environment:
    """Templates of this folder, and of another one."""
    return pages.environment(*([folder] if folder else []), Path(__file__).parent)
