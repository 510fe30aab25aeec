"""People and classes: made, let in, given a role, deleted with everything of theirs; who is in which class, who may
read what, and in which arm of a feedback study somebody is today."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from maieutic.errors import InputError
from maieutic.practice.storage import (
    Assignment,
    Audit,
    Comment,
    Consent,
    Group,
    Login,
    Member,
    Spoken,
    Talk,
    User,
    Written,
    now,
)
from maieutic.practice.texts import CONSENTS, VERSION, ConsentKind

MIN_PASSWORD = 10
MAX_PASSWORD = 200
MAX_NAME = 60


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobodys() -> str:
    return _hasher().hash("nobody's")


def tidy_name(name: str) -> str:
    """A name in the one form in which it is kept and looked for."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def make_user(db: Session, name: str, password: str, role: str = "trainee", *, kept: str | None = None) -> User:
    """A new account. Raises `InputError` for a name that is taken or empty, or a password that is too short.

    `kept` is the password as `hashed` gives it, where it was made before: that takes long, and others wait meanwhile.
    """
    name = tidy_name(name)
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise InputError(f"a name has 1 to {MAX_NAME} letters")
    if db.scalar(select(User).where(User.name == name)) is not None:
        raise InputError(f"the name {name!r} is taken; choose another")
    user = User(name=name, password=kept or hashed(password), role=role)
    db.add(user)
    db.flush()
    note(db, user.id, "account made", role)
    return user


def hashed(password: str) -> str:
    """A password as it is kept (argon2id). Raises `InputError`."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise InputError(f"a password has {MIN_PASSWORD} to {MAX_PASSWORD} signs; a short sentence is a good one")
    return _hasher().hash(password)


def verified(kept: str | None, password: str) -> bool:
    """Whether a password is the one that is kept; it takes as long for a name that nobody has."""
    try:
        return _hasher().verify(kept or _nobodys(), password[:MAX_PASSWORD]) and kept is not None
    except (VerifyMismatchError, InvalidHashError):
        return False


def key_hash(key: str) -> str:
    """What is kept of a login's key: whoever reads the database cannot log in with it."""
    return hashlib.sha256(key.encode()).hexdigest()


def log_in(db: Session, user: User, key: str) -> None:
    """A new login under a key that was never used before."""
    db.add(Login(id=key_hash(key), user_id=user.id))
    note(db, user.id, "logged in")


def who(db: Session, key: str, idle_hours: float) -> User | None:
    """The person behind a login's key, if it still holds."""
    login = db.get(Login, key_hash(key))
    if login is None:
        return None
    if login.seen < now() - timedelta(hours=idle_hours):
        db.delete(login)
        return None
    if login.seen < now() - timedelta(minutes=5):
        login.seen = now()
    user = db.get(User, login.user_id)
    return None if user is None or user.blocked else user


def log_out(db: Session, user: User, key: str | None = None) -> None:
    """End one login, or all of a person's."""
    found = delete(Login).where(Login.user_id == user.id)
    db.execute(found if key is None else found.where(Login.id == key_hash(key)))
    note(db, user.id, "logged out")


def note(db: Session, user_id: str | None, event: str, about: str = "") -> None:
    """A line of the audit log."""
    db.add(Audit(user_id=user_id, event=event, about=about[:200]))


def consents(db: Session, user_id: str) -> dict[ConsentKind, bool | None]:
    """What a person last said to each consent text; None where they were not asked, or an older text was."""
    found: dict[ConsentKind, bool | None] = dict.fromkeys(CONSENTS)
    for line in db.scalars(select(Consent).where(Consent.user_id == user_id).order_by(Consent.id)):
        if line.kind in found and line.version == VERSION:
            found[line.kind] = line.given
    return found


def consent(db: Session, user_id: str, given: Mapping[ConsentKind, bool]) -> None:
    """Keep what a person says to the consent texts."""
    for kind, yes in given.items():
        db.add(Consent(user_id=user_id, kind=kind, version=VERSION, given=yes))
        note(db, user_id, f"consent to {kind}", "given" if yes else "not given")


def delete_person(db: Session, user: User) -> dict[str, int]:
    """Delete a person and everything of theirs; returns how many rows of each kind went. Audit lines lose the person.

    Raises:
        InputError: they are the last admin, or classes of theirs have members.
    """
    if user.role == "admin" and db.scalar(select(func.count()).select_from(User).where(User.role == "admin")) == 1:
        raise InputError("this is the last admin; make another one first")
    own = select(Group.id).where(Group.teacher_id == user.id)
    if db.scalar(select(func.count()).select_from(Member).where(Member.class_id.in_(own))):
        raise InputError("classes of this person have members; delete the classes first")
    talks = select(Talk.id).where(Talk.user_id == user.id)
    counted: dict[str, Any] = {
        "talks": select(func.count()).select_from(Talk).where(Talk.user_id == user.id),
        "turns": select(func.count()).select_from(Spoken).where(Spoken.talk_id.in_(talks)),
        "formulations": select(func.count()).select_from(Written).where(Written.talk_id.in_(talks)),
        "comments": select(func.count()).select_from(Comment).where(Comment.talk_id.in_(talks)),
        "assignments": select(func.count()).select_from(Assignment).where(Assignment.class_id.in_(own)),
    }
    gone = {name: db.scalar(query) or 0 for name, query in counted.items()}
    db.execute(delete(User).where(User.id == user.id))
    note(db, None, "person deleted", ", ".join(f"{name} {number}" for name, number in gone.items()))
    return gone


CODE_SIGNS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Signs that nobody mistakes for another."""
MAX_ARM_DAYS = 28
"""Days at most without feedback."""


def fresh_code() -> str:
    """An invite code of ten signs (about 49 bits)."""
    return "".join(secrets.choice(CODE_SIGNS) for _ in range(10))


def make_class(db: Session, teacher: User, name: str, contact: str) -> Group:
    """A new class. Raises `InputError` without a name, or without a person to turn to in distress."""
    name, contact = name.strip(), contact.strip()
    if not name or len(name) > 100:
        raise InputError("a class needs a name of up to 100 letters")
    if not contact or len(contact) > 200:
        raise InputError("name a person whom trainees can reach in distress, and how (up to 200 letters)")
    group = Group(teacher_id=teacher.id, name=name, contact=contact, code=fresh_code())
    db.add(group)
    db.flush()
    note(db, teacher.id, "class made", group.id)
    return group


def join(db: Session, user: User, code: str) -> Group:
    """Join the class of an invite code. Raises `InputError` for one that no class has."""
    group = db.scalar(select(Group).where(Group.code == code.strip().upper()))
    if group is None:
        raise InputError("no class has this invite code; ask your teacher for it")
    if db.get(Member, (group.id, user.id)) is None:
        start = secrets.choice(("feedback", "no feedback"))
        db.add(Member(class_id=group.id, user_id=user.id, starts_with=start))
        note(db, user.id, "class joined", group.id)
    return group


def joined(db: Session, user_id: str) -> Sequence[tuple[Group, Member]]:
    """The classes somebody is in."""
    found = db.execute(select(Group, Member).join(Member, Member.class_id == Group.id).where(Member.user_id == user_id))
    return [(group, member) for group, member in found]


def taught(db: Session, user_id: str) -> Sequence[Group]:
    """The classes somebody teaches."""
    return db.scalars(select(Group).where(Group.teacher_id == user_id).order_by(Group.created)).all()


def may_read(db: Session, user: User, talk: Talk) -> bool:
    """Whether a teacher has the trainee's leave to read a session."""
    found = (
        select(Member.user_id)
        .join(Group, Group.id == Member.class_id)
        .where(Group.teacher_id == user.id, Member.user_id == talk.user_id, Member.may_read.is_(True))
    )
    return db.scalar(found) is not None


def gives_feedback(starts_with: str, arm_days: int, begun: datetime, today: datetime) -> bool:
    """Whether somebody who was drawn into an arm gets feedback today.

    Two periods of `arm_days` each, crossed over; after both, and before the first, everybody gets it. Practice without
    feedback lowered empathy in CARE's trial (arXiv 2505.02428), so nobody stays without it.
    """
    passed = today - begun
    if passed < timedelta() or passed >= timedelta(days=2 * arm_days):
        return True
    return (starts_with == "feedback") == (passed < timedelta(days=arm_days))


def feedback_now(db: Session, user_id: str, research: bool) -> bool:
    """Whether a session that begins now shows feedback: always, without consent to research."""
    return not research or all(
        group.arms_from is None or gives_feedback(member.starts_with, group.arm_days, group.arms_from, now())
        for group, member in joined(db, user_id)
    )


def assignments(db: Session, class_ids: Sequence[str]) -> Sequence[Assignment]:
    """The exercises of classes, newest first."""
    found = select(Assignment).where(Assignment.class_id.in_(class_ids)).order_by(Assignment.created.desc())
    return db.scalars(found).all()
