"""The Alembic environment of every service; `scops.common.db.migrate` hands it a connection."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    # SQLite cannot alter most things in place; batch mode copies the table.
    render_as_batch=True,
    transaction_per_migration=False,
)
with context.begin_transaction():
    context.run_migrations()
