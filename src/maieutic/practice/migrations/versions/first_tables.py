"""The first tables: people, classes, talks, formulations, comments, consent and the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:

    op.create_table(
        "comparators",
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("lines", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("password", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=200), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("blocked", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=True),
        sa.Column("event", sa.String(length=200), nullable=False),
        sa.Column("about", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_audit_at"), "audit", ["at"], unique=False)
    op.create_table(
        "classes",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("teacher_id", sa.String(length=200), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("code", sa.String(length=200), nullable=False),
        sa.Column("contact", sa.String(length=200), nullable=False),
        sa.Column("shows_oracle", sa.Boolean(), nullable=False),
        sa.Column("arm_days", sa.Integer(), nullable=False),
        sa.Column("arms_from", sa.DateTime(), nullable=True),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["teacher_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("code"),
    )
    op.create_index(op.f("ix_classes_teacher_id"), "classes", ["teacher_id"], unique=False)
    op.create_table(
        "consents",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=200), nullable=False),
        sa.Column("version", sa.String(length=200), nullable=False),
        sa.Column("given", sa.Boolean(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_consents_user_id"), "consents", ["user_id"], unique=False)
    op.create_table(
        "logins",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("seen", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_logins_user_id"), "logins", ["user_id"], unique=False)
    op.create_table(
        "assignments",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("class_id", sa.String(length=200), nullable=False),
        sa.Column("case_name", sa.String(length=200), nullable=False),
        sa.Column("style", sa.String(length=200), nullable=False),
        sa.Column("goal", sa.String(length=200), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["class_id"], ["classes.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_assignments_class_id"), "assignments", ["class_id"], unique=False)
    op.create_table(
        "members",
        sa.Column("class_id", sa.String(length=200), nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("may_read", sa.Boolean(), nullable=False),
        sa.Column("starts_with", sa.String(length=200), nullable=False),
        sa.Column("joined", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["class_id"], ["classes.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("class_id", "user_id"),
    )
    op.create_index(op.f("ix_members_user_id"), "members", ["user_id"], unique=False)
    op.create_table(
        "own_cases",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("class_id", sa.String(length=200), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["class_id"], ["classes.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_own_cases_class_id"), "own_cases", ["class_id"], unique=False)
    op.create_table(
        "talks",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("user_id", sa.String(length=200), nullable=False),
        sa.Column("case_name", sa.String(length=200), nullable=False),
        sa.Column("style", sa.String(length=200), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("goal", sa.String(length=200), nullable=False),
        sa.Column("guided", sa.Boolean(), nullable=False),
        sa.Column("feedback", sa.Boolean(), nullable=False),
        sa.Column("assignment_id", sa.String(length=200), nullable=True),
        sa.Column("forked_from", sa.String(length=200), nullable=True),
        sa.Column("forked_at", sa.Integer(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("begun", sa.DateTime(), nullable=False),
        sa.Column("ended", sa.DateTime(), nullable=True),
        sa.Column("ending", sa.String(length=200), nullable=True),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignments.id"], ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["forked_from"], ["talks.id"], ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_talks_assignment_id"), "talks", ["assignment_id"], unique=False)
    op.create_index(op.f("ix_talks_user_id"), "talks", ["user_id"], unique=False)
    op.create_index("talks_of_case", "talks", ["case_name"], unique=False)
    op.create_table(
        "comments",
        sa.Column("id", sa.String(length=200), nullable=False),
        sa.Column("talk_id", sa.String(length=200), nullable=False),
        sa.Column("teacher_id", sa.String(length=200), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["talk_id"], ["talks.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["teacher_id"], ["users.id"], ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_comments_talk_id"), "comments", ["talk_id"], unique=False)
    op.create_table(
        "formulations",
        sa.Column("talk_id", sa.String(length=200), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.Column("saved", sa.DateTime(), nullable=False),
        sa.Column("handed_in", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["talk_id"], ["talks.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("talk_id"),
    )
    op.create_table(
        "turns",
        sa.Column("talk_id", sa.String(length=200), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("said", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("lines", sa.LargeBinary(), nullable=True),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["talk_id"], ["talks.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("talk_id", "number"),
    )


def downgrade() -> None:

    op.drop_table("turns")
    op.drop_table("formulations")
    op.drop_index(op.f("ix_comments_talk_id"), table_name="comments")
    op.drop_table("comments")
    op.drop_index("talks_of_case", table_name="talks")
    op.drop_index(op.f("ix_talks_user_id"), table_name="talks")
    op.drop_index(op.f("ix_talks_assignment_id"), table_name="talks")
    op.drop_table("talks")
    op.drop_index(op.f("ix_own_cases_class_id"), table_name="own_cases")
    op.drop_table("own_cases")
    op.drop_index(op.f("ix_members_user_id"), table_name="members")
    op.drop_table("members")
    op.drop_index(op.f("ix_assignments_class_id"), table_name="assignments")
    op.drop_table("assignments")
    op.drop_index(op.f("ix_logins_user_id"), table_name="logins")
    op.drop_table("logins")
    op.drop_index(op.f("ix_consents_user_id"), table_name="consents")
    op.drop_table("consents")
    op.drop_index(op.f("ix_classes_teacher_id"), table_name="classes")
    op.drop_table("classes")
    op.drop_index(op.f("ix_audit_at"), table_name="audit")
    op.drop_table("audit")
    op.drop_table("users")
    op.drop_table("comparators")
