"""Classes: who is in which, who may read what, and in which arm of a feedback study somebody is today."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from maieutic.errors import InputError
from maieutic.practice.accounts import note
from maieutic.practice.tables import Assignment, Group, Member, Talk, User, now

CODE_SIGNS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Signs that nobody mistakes for another."""
LONGEST_ARM = 28
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
