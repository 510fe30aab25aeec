"""What a trainee may know of a case before the first session, and the choice of a case by level and topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from maieutic.domain.case import STYLES, Case
from maieutic.library import get_case
from maieutic.practice.cases import OWN
from maieutic.practice.model import Brief, Level
from maieutic.practice.tables import OwnCase
from maieutic.reading.minilm import shared_minilm

TOPICS: Final[Mapping[str, str]] = {
    "work and study": "trouble at work, losing a job, a boss, colleagues, promotion, exams or university",
    "partner and love": "a partner, marriage, divorce, jealousy, a break-up or dating",
    "family": "children, parents, siblings, a new baby, being a mother, father or daughter",
    "loss and loneliness": "grief after a death, being alone, old age, moving away from everybody",
    "illness and the body": "illness, surgery, pain, disability, appearance, ageing of the body",
    "worry and fear": "panic, anxiety, fear of being judged, obsessive doubts and checking",
    "guilt and shame": "guilt about something done, shame, blaming oneself",
    "housing and money": "debt, rent, a landlord, losing a home, bills",
}
"""Topics that cases are sorted by, each with what it holds."""
NEAREST: Final = 2
_PLAIN: Final = frozenset({"plain", "verbose"})
_CLOSED: Final = frozenset({"reserved", "upset"})


def level(case: Case) -> Level:
    """How much a case asks of a beginner: by severity, style and risk, from none of the diagram."""
    if case.severity == "severe" or case.risk.level != "none":
        return "hard"
    if case.style in _PLAIN:
        return "first"
    return "further" if case.style not in _CLOSED or case.severity == "mild" else "hard"


@lru_cache(maxsize=512)
def _topics(problem: str) -> tuple[str, ...]:
    vectors = shared_minilm()([*TOPICS.values(), problem])
    order = np.argsort(-(vectors[:-1] @ vectors[-1]), kind="stable")[:NEAREST]
    return tuple(list(TOPICS)[place] for place in order)


def brief(case: Case) -> Brief:
    """The brief of a case: person, level and topics; nothing of the diagram and nothing that the patient tells.

    Topics are the two nearest to the complaint the case comes with, by the sentence encoder; the complaint itself is
    not told, since it often words the situation; of the work, what stands before the first comma.
    """
    person = case.person
    return Brief(
        case.id,
        person.name,
        person.age,
        person.work.partition(",")[0],
        level(case),
        _topics(case.problem),
        STYLES,
        case.risk.level != "none",
    )


def chosen(cases: Sequence[Case], *, wanted: Level | None = None, topic: str | None = None) -> tuple[Brief, ...]:
    """The briefs of the cases of a level and a topic, easiest first, then by name."""
    found = [brief(case) for case in cases]
    order: tuple[Level, ...] = ("first", "further", "hard")
    kept = [one for one in found if wanted in (None, one.level) and (topic is None or topic in one.topics)]
    return tuple(sorted(kept, key=lambda one: (order.index(one.level), one.name)))


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
