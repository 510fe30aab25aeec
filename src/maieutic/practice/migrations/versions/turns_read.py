"""What a language model read in a turn stands beside it."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("turns", sa.Column("reading", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("turns") as turns:
        turns.drop_column("reading")
