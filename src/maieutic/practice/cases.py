"""Which cases can be practised, packaged or a teacher's own, and what a trainee may know of one before the first
session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from maieutic.domain.case import STYLES, Case
from maieutic.errors import InputError, InvalidCase, UnknownName, fault_in_words
from maieutic.library import case_ids, get_case, in_style
from maieutic.practice.model import Brief, Level
from maieutic.practice.storage import Group, Member, OwnCase, Talk, User
from maieutic.reading.minilm import shared_minilm
from maieutic.reading.yaml_text import read_yaml

OWN = "own:"
MAX_BYTES = 200_000
"""Bytes of an uploaded case."""
SPLIT: Final = "dev"
"""Only development cases are practised on: the others are kept for tests."""


def packaged() -> tuple[Case, ...]:
    """The packaged cases that can be practised."""
    return tuple(get_case(name) for name in case_ids(SPLIT))


@lru_cache(maxsize=256)
def _styled(name: str, style: str) -> Case:
    case = get_case(name)
    return case if style == case.style else in_style(case, style)


def case_of(db: Session, name: str, style: str) -> Case:
    """The case of a talk or assignment, in its style. Raises `UnknownName`."""
    if not name.startswith(OWN):
        if name not in case_ids(SPLIT):
            raise UnknownName("case", name, case_ids(SPLIT))
        return _styled(name, style)
    found = db.get(OwnCase, name.removeprefix(OWN))
    if found is None:
        raise UnknownName("case", name, ())
    case = Case.model_validate({**found.body, "id": f"own-{name.removeprefix(OWN).lower().encode().hex()}"})
    return case if style == case.style else in_style(case, style)


def case_behind(db: Session, talk: Talk) -> Case:
    """The case of a talk."""
    return case_of(db, talk.case_name, talk.style)


def own_cases(db: Session, user: User) -> Sequence[OwnCase]:
    """The cases that teachers wrote for the classes that a person is in or teaches."""
    taught = select(Group.id).where(Group.teacher_id == user.id)
    joined = select(Member.class_id).where(Member.user_id == user.id)
    return db.scalars(select(OwnCase).where(OwnCase.class_id.in_(taught.union(joined))).order_by(OwnCase.title)).all()


def may_practise(db: Session, user: User, name: str) -> bool:
    """Whether a case is open to a person."""
    if name.startswith(OWN):
        return name.removeprefix(OWN) in {one.id for one in own_cases(db, user)}
    return name in case_ids(SPLIT)


def read_upload(body: bytes) -> Case:
    """A case that somebody sent. Raises `InvalidCase` with the fields that are wrong, or `InputError`."""
    import yaml

    if len(body) > MAX_BYTES:
        raise InputError(f"the file has {len(body)} bytes; a case may have {MAX_BYTES} at most")
    try:
        data = read_yaml(body.decode("utf-8"))
        return Case.model_validate(data)
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise InputError("the file is no YAML text in UTF-8; see docs/write-a-case.md") from error
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, one['loc'])) or 'the whole file'}: {fault_in_words(one['type'], one['msg'])}"
            for one in error.errors()
        ]
        raise InvalidCase(f"the case does not follow the schema: {problems[0]}", problems) from error


__all__ = ["OWN", "STYLES", "case_behind", "case_of", "may_practise", "own_cases", "packaged", "read_upload"]


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


LEVEL_NAMES: dict[Level, str] = {"first": "First sessions", "further": "When you have practised", "hard": "Demanding"}


def chosen(found: Iterable[tuple[str, Brief]], level: str = "", topic: str = "") -> list[tuple[str, Brief]]:
    """Named briefs of a level and a topic, '' for any; the easiest first, then by name."""
    kept = [(name, one) for name, one in found if level in ("", one.level) and topic in ("", *one.topics)]
    order = list(LEVEL_NAMES)
    return sorted(kept, key=lambda pair: (order.index(pair[1].level), pair[1].name))


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
