"""Run by Alembic: the connection comes from `storage`, so that there is one way to open the database."""

from alembic import context

from maieutic.practice.storage import Table

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Table.metadata,
    render_as_batch=True,  # SQLite cannot alter most columns in place
)
with context.begin_transaction():
    context.run_migrations()
