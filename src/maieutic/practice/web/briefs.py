"""What a trainee may know of a case before talking: nothing of the diagram, and nothing that the patient has not
said."""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy.orm import Session

from maieutic.domain.case import Case
from maieutic.library import get_case
from maieutic.practice.brief import brief
from maieutic.practice.cases import OWN
from maieutic.practice.model import Brief, Level
from maieutic.practice.tables import OwnCase

LEVEL_NAMES: dict[Level, str] = {"first": "First sessions", "further": "When you have practised", "hard": "Demanding"}


@lru_cache(maxsize=256)
def packaged_brief(name: str) -> Brief:
    """The brief of a packaged case."""
    return brief(get_case(name))


def brief_named(db: Session, name: str) -> Brief | None:
    """The brief of a packaged case or a teacher's own; None for an own case that was deleted."""
    if not name.startswith(OWN):
        return packaged_brief(name)
    found = db.get(OwnCase, name.removeprefix(OWN))
    return None if found is None else brief(Case.model_validate(found.body))


__all__ = ["LEVEL_NAMES", "brief_named", "packaged_brief"]
