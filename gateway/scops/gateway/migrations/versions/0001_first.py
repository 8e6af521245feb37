"""Scopes, jobs, requests, secrets and the outbox."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# SQLite counts by itself only in a column that is INTEGER by name.
POSITION = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Creates the tables."""
    _create_scope()
    _create_job()
    _create_request()
    op.create_table(
        "secret",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "outbox",
        sa.Column("position", POSITION, primary_key=True, autoincrement=True),
        sa.Column("event_id", sa.String, nullable=False, unique=True),
        sa.Column("message_type", sa.String, nullable=False),
        sa.Column("organisation_id", sa.String, nullable=False),
        sa.Column("lane", sa.String, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    """Drops the tables."""
    for table in ("outbox", "secret", "request", "job", "scope"):
        op.drop_table(table)


def _create_scope() -> None:
    op.create_table(
        "scope",
        sa.Column("organisation_id", sa.String, primary_key=True),
        sa.Column("scope_id", sa.String, primary_key=True),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("deleted", sa.Boolean, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("projected_revision", sa.Integer, nullable=False),
    )


def _create_job() -> None:
    counts = ("open", "indexed", "unchanged", "gone", "blocked", "dead", "cancelled")
    op.create_table(
        "job",
        sa.Column("job_id", sa.String, primary_key=True),
        sa.Column("organisation_id", sa.String, nullable=False),
        sa.Column("scope_id", sa.String, nullable=False),
        sa.Column("scope_revision", sa.Integer, nullable=False),
        sa.Column("owner", sa.String, nullable=False),
        sa.Column("urls", sa.JSON, nullable=False),
        sa.Column("page_limit", sa.Integer, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in counts),
        sa.Column("counted_at", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
        sa.Column("cancel_requested", sa.Boolean, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("sent_at", sa.BigInteger, nullable=False),
    )
    op.create_index("job_by_state", "job", ["state", "job_id"])
    op.create_index("job_by_scope", "job", ["organisation_id", "scope_id", "job_id"])


def _create_request() -> None:
    op.create_table(
        "request",
        sa.Column("organisation_id", sa.String, primary_key=True),
        sa.Column("principal_id", sa.String, primary_key=True),
        sa.Column("request_id", sa.String, primary_key=True),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("created_id", sa.String, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_request_created_at", "request", ["created_at"])
