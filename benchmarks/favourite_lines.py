"""A trained model's commonest questions as a script that hears nothing: what a favourite phrase is worth by itself.

    maieutic evaluate --therapist lines=benchmarks/favourite_lines.py:make --therapist no_session --cases dev

`python benchmarks/trained_natural.py lines` finds the questions and plays this.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from maieutic.domain.episode import Session, Turn
from maieutic.therapists.arms.set_lines import in_order

RESULT = Path(__file__).parent / "results" / "trained_natural.json"


@dataclass(frozen=True, slots=True)
class Favourites:
    """Says the lines one after another, and again from the first, whatever is answered."""

    name: str = "favourites"

    async def respond(self, session: Session) -> Turn:
        return in_order(session, _lines())


@cache
def _lines() -> tuple[str, ...]:
    return tuple(json.loads(RESULT.read_bytes())["favourites"])


def make() -> Favourites:
    """The arm."""
    return Favourites()
