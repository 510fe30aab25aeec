"""A trained model's commonest questions as a script that hears nothing: what a favourite phrase is worth by itself.

    maieutic evaluate --therapist lines=benchmarks/favourite_lines.py:make --therapist no_session --cases dev

Those of the packaged adapter, as they are stored. `python benchmarks/trained_natural.py lines` finds the questions of a run,
keeps them in a file beside its own run, names that file in MAIEUTIC_FAVOURITE_LINES, and plays this.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from maieutic.domain.episode import Session, Turn
from maieutic.rivals.set_lines import in_order

LINES_FILE = "MAIEUTIC_FAVOURITE_LINES"
RESULT = Path(__file__).parent / "results" / "trained_natural.json"


@dataclass(frozen=True, slots=True)
class Favourites:
    """Says the lines one after another, and again from the first, whatever is answered."""

    name: str = "favourites"

    async def respond(self, session: Session) -> Turn:
        return in_order(session, _lines())


@cache
def _lines() -> tuple[str, ...]:
    if named := os.environ.get(LINES_FILE):
        return tuple(json.loads(Path(named).read_bytes()))
    return tuple(json.loads(RESULT.read_bytes())["favourites of model"])


def make() -> Favourites:
    """The arm."""
    return Favourites()
