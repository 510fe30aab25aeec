"""Which cases can be practised, and the case behind a talk: a packaged one, or a teacher's own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pydantic import ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from maieutic.domain.case import STYLES, Case
from maieutic.errors import InputError, InvalidCase, UnknownName, fault_in_words
from maieutic.library import case_ids, get_case, in_style
from maieutic.practice.tables import Group, Member, OwnCase, Talk, User
from maieutic.reading.yaml_text import read_yaml

OWN = "own:"
LARGEST = 200_000
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

    if len(body) > LARGEST:
        raise InputError(f"the file has {len(body)} bytes; a case may have {LARGEST} at most")
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
