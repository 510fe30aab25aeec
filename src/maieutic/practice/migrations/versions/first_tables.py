"""The first tables: people, classes, talks, formulations, comments, consent and the audit log."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NAMES: dict[str, Any] = {"id": sa.String(200), "at": sa.DateTime(), "seed": sa.Integer(), "turns": sa.Integer()}
"""Columns that several tables have."""


def _column(name: str, kind: Any = None, *of: Any, **more: Any) -> sa.Column[Any]:
    """A column that always holds something, a short text where no other kind is named."""
    return sa.Column(name, kind or _NAMES.get(name) or sa.String(200), *of, **{"nullable": False, **more})


def _whose(name: str, key: str, *, kept: bool = False, **more: Any) -> sa.Column[Any]:
    """A row's owner, with whom it goes; `kept` where it stays without them."""
    owner = sa.ForeignKey(key, ondelete="SET NULL" if kept else "CASCADE")
    return _column(name, None, owner, nullable=kept, **more)


def _id(kind: Any = None) -> sa.Column[Any]:
    return _column("id", kind, primary_key=True)


_TABLES: dict[str, tuple[sa.Column[Any], ...]] = {
    "comparators": (_column("key", primary_key=True), _column("lines", sa.LargeBinary())),
    "users": (
        _id(),
        _column("name", unique=True),
        _column("password"),
        _column("role"),
        _column("created", sa.DateTime()),
        _column("blocked", sa.Boolean()),
    ),
    "audit": (
        _id(sa.Integer()),
        _column("at", index=True),
        _whose("user_id", "users.id", kept=True),
        _column("event"),
        _column("about"),
    ),
    "classes": (
        _id(),
        _whose("teacher_id", "users.id", index=True),
        _column("name"),
        _column("code", unique=True),
        _column("contact"),
        _column("shows_oracle", sa.Boolean()),
        _column("arm_days", sa.Integer()),
        _column("arms_from", sa.DateTime(), nullable=True),
        _column("created", sa.DateTime()),
    ),
    "consents": (
        _id(sa.Integer()),
        _whose("user_id", "users.id", index=True),
        _column("kind"),
        _column("version"),
        _column("given", sa.Boolean()),
        _column("at"),
    ),
    "logins": (_id(), _whose("user_id", "users.id", index=True), _column("seen", sa.DateTime())),
    "assignments": (
        _id(),
        _whose("class_id", "classes.id", index=True),
        _column("case_name"),
        _column("style"),
        _column("goal"),
        _column("turns"),
        _column("seed"),
        _column("note", sa.Text()),
        _column("created", sa.DateTime()),
    ),
    "members": (
        _whose("class_id", "classes.id", primary_key=True),
        _whose("user_id", "users.id", primary_key=True, index=True),
        _column("may_read", sa.Boolean()),
        _column("starts_with"),
        _column("joined", sa.DateTime()),
    ),
    "own_cases": (
        _id(),
        _whose("class_id", "classes.id", index=True),
        _column("title"),
        _column("body", sa.JSON()),
        _column("created", sa.DateTime()),
    ),
    "talks": (
        _id(),
        _whose("user_id", "users.id", index=True),
        _column("case_name"),
        _column("style"),
        _column("seed"),
        _column("turns"),
        _column("goal"),
        _column("guided", sa.Boolean()),
        _column("feedback", sa.Boolean()),
        _whose("assignment_id", "assignments.id", kept=True, index=True),
        _whose("forked_from", "talks.id", kept=True),
        _column("forked_at", sa.Integer(), nullable=True),
        _column("notes", sa.Text()),
        _column("begun", sa.DateTime()),
        _column("ended", sa.DateTime(), nullable=True),
        _column("ending", nullable=True),
    ),
    "comments": (
        _id(),
        _whose("talk_id", "talks.id", index=True),
        _whose("teacher_id", "users.id", kept=True),
        _column("number", sa.Integer()),
        _column("text", sa.Text()),
        _column("at"),
    ),
    "formulations": (
        _whose("talk_id", "talks.id", primary_key=True),
        _column("body", sa.JSON()),
        _column("saved", sa.DateTime()),
        _column("handed_in", sa.DateTime(), nullable=True),
    ),
    "turns": (
        _whose("talk_id", "talks.id", primary_key=True),
        _column("number", sa.Integer(), primary_key=True, autoincrement=False),
        _column("said", sa.Text(), nullable=True),
        _column("answer", sa.Text(), nullable=True),
        _column("lines", sa.LargeBinary(), nullable=True),
        _column("at"),
    ),
}


def upgrade() -> None:
    for name, columns in _TABLES.items():
        op.create_table(name, *columns)
    op.create_index("talks_of_case", "talks", ["case_name"])


def downgrade() -> None:
    for name in reversed(_TABLES):
        op.drop_table(name)
