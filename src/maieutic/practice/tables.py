"""What practice keeps: people, classes, talks with their turns, formulations, comments, leave and the audit log."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

Role = Literal["trainee", "teacher", "admin"]
ROLES: tuple[Role, ...] = ("trainee", "teacher", "admin")


def now() -> datetime:
    """The time in UTC, without a zone, as all databases keep it alike."""
    return datetime.now(UTC).replace(tzinfo=None)


def fresh_id() -> str:
    """An id that nobody can guess (96 bits)."""
    return secrets.token_urlsafe(12)


class Table(DeclarativeBase):
    """All tables."""

    type_annotation_map = {dict[str, Any]: JSON, str: String(200)}  # noqa: RUF012


class User(Table):
    """A person with an account."""

    __tablename__ = "users"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    name: Mapped[str] = mapped_column(unique=True)
    password: Mapped[str]
    role: Mapped[str] = mapped_column(default="trainee")
    created: Mapped[datetime] = mapped_column(default=now)
    blocked: Mapped[bool] = mapped_column(default=False)


class Login(Table):
    """One login of a person; only the hash of the cookie's key is kept."""

    __tablename__ = "logins"
    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    seen: Mapped[datetime] = mapped_column(default=now)


class Consent(Table):
    """What a person said to one consent text; the latest line counts."""

    __tablename__ = "consents"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    kind: Mapped[str]
    version: Mapped[str]
    given: Mapped[bool]
    at: Mapped[datetime] = mapped_column(default=now)


class Group(Table):
    """A class, with whom its members can turn to, and how feedback is given in it."""

    __tablename__ = "classes"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    teacher_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    code: Mapped[str] = mapped_column(unique=True)
    contact: Mapped[str]
    shows_oracle: Mapped[bool] = mapped_column(default=False)
    arm_days: Mapped[int] = mapped_column(default=0)
    arms_from: Mapped[datetime | None]
    created: Mapped[datetime] = mapped_column(default=now)


class Member(Table):
    """A trainee in a class; `may_read` is the leave to read their sessions, `starts_with` the arm they were drawn
    into."""

    __tablename__ = "members"
    class_id: Mapped[str] = mapped_column(ForeignKey("classes.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True)
    may_read: Mapped[bool] = mapped_column(default=False)
    starts_with: Mapped[str] = mapped_column(default="feedback")
    joined: Mapped[datetime] = mapped_column(default=now)


class Assignment(Table):
    """An exercise that a teacher set: everybody meets the same patient with the same luck."""

    __tablename__ = "assignments"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    class_id: Mapped[str] = mapped_column(ForeignKey("classes.id", ondelete="CASCADE"), index=True)
    case_name: Mapped[str]
    style: Mapped[str]
    goal: Mapped[str]
    turns: Mapped[int]
    seed: Mapped[int]
    note: Mapped[str] = mapped_column(Text)
    created: Mapped[datetime] = mapped_column(default=now)


class OwnCase(Table):
    """A case that a teacher wrote, checked before it was kept."""

    __tablename__ = "own_cases"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    class_id: Mapped[str] = mapped_column(ForeignKey("classes.id", ondelete="CASCADE"), index=True)
    title: Mapped[str]
    body: Mapped[dict[str, Any]]
    created: Mapped[datetime] = mapped_column(default=now)


class Talk(Table):
    """One practice session. `case_name` is a packaged case's id, or `own:ID`; `feedback` whether feedback is shown in
    it."""

    __tablename__ = "talks"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    case_name: Mapped[str]
    style: Mapped[str]
    seed: Mapped[int]
    turns: Mapped[int]
    goal: Mapped[str]
    guided: Mapped[bool] = mapped_column(default=False)
    feedback: Mapped[bool] = mapped_column(default=True)
    assignment_id: Mapped[str | None] = mapped_column(ForeignKey("assignments.id", ondelete="SET NULL"), index=True)
    forked_from: Mapped[str | None] = mapped_column(ForeignKey("talks.id", ondelete="SET NULL"))
    forked_at: Mapped[int | None]
    notes: Mapped[str] = mapped_column(Text, default="")
    begun: Mapped[datetime] = mapped_column(default=now)
    ended: Mapped[datetime | None]
    ending: Mapped[str | None]


class Spoken(Table):
    """One therapist turn and its answer; number 0 is the patient's opening. `lines` has the journal's lines of both,
    `reading` what a language model read in the turn (`reader.Reading`), where one was asked."""

    __tablename__ = "turns"
    talk_id: Mapped[str] = mapped_column(ForeignKey("talks.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    said: Mapped[str | None] = mapped_column(Text)
    answer: Mapped[str | None] = mapped_column(Text)
    lines: Mapped[bytes | None] = mapped_column(LargeBinary)
    reading: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    at: Mapped[datetime] = mapped_column(default=now)


class Written(Table):
    """A formulation as it was last saved; handed in once."""

    __tablename__ = "formulations"
    talk_id: Mapped[str] = mapped_column(ForeignKey("talks.id", ondelete="CASCADE"), primary_key=True)
    body: Mapped[dict[str, Any]]
    saved: Mapped[datetime] = mapped_column(default=now)
    handed_in: Mapped[datetime | None]


class Comment(Table):
    """A teacher's words on one turn."""

    __tablename__ = "comments"
    id: Mapped[str] = mapped_column(primary_key=True, default=fresh_id)
    talk_id: Mapped[str] = mapped_column(ForeignKey("talks.id", ondelete="CASCADE"), index=True)
    teacher_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    number: Mapped[int]
    text: Mapped[str] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(default=now)


class Comparator(Table):
    """The agent's or the oracle's session on a case and seed, played once: its journal lines."""

    __tablename__ = "comparators"
    key: Mapped[str] = mapped_column(primary_key=True)
    lines: Mapped[bytes] = mapped_column(LargeBinary)


class Audit(Table):
    """Who did what to whom; never a word of what was said. A deleted person's lines stay without the person."""

    __tablename__ = "audit"
    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    at: Mapped[datetime] = mapped_column(default=now, index=True)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    event: Mapped[str]
    about: Mapped[str] = mapped_column(default="")


Index("talks_of_case", Talk.case_name)
