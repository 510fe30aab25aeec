"""What a trainee may know of a case before talking: nothing of the diagram, and nothing that the patient has not said."""

from __future__ import annotations

from functools import lru_cache

from sqlalchemy.orm import Session

from maieutic.domain.case import STYLES, Case
from maieutic.library import get_case
from maieutic.practice.cases import OWN
from maieutic.practice.model import Brief, Level
from maieutic.practice.tables import OwnCase

_LEVELS: dict[str, Level] = {"plain": "first", "pleasing": "first", "verbose": "further", "reserved": "further"}
LEVEL_NAMES: dict[Level, str] = {"first": "First sessions", "further": "When you have practised", "hard": "Demanding"}


def brief_of(case: Case) -> Brief:
    """The brief of a case: who comes, how hard it is, and which feelings it is about."""
    level: Level = "hard" if case.severity == "severe" or case.risk.level != "none" else _LEVELS.get(case.style, "hard")
    work = case.person.work.split(";")[0]
    return Brief(case.id, case.person.name, case.person.age, work, level, (), STYLES, case.risk.level != "none")


@lru_cache(maxsize=256)
def packaged_brief(name: str) -> Brief:
    """The brief of a packaged case."""
    return brief_of(get_case(name))


def brief_named(db: Session, name: str) -> Brief | None:
    """The brief of a packaged case or a teacher's own; None for an own case that was deleted."""
    if not name.startswith(OWN):
        return packaged_brief(name)
    found = db.get(OwnCase, name.removeprefix(OWN))
    return None if found is None else brief_of(Case.model_validate(found.body))


__all__ = ["LEVEL_NAMES", "brief_named", "brief_of", "packaged_brief"]
