"""Credentials of scopes, sealed.

Revision ID: 0019
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table."""
    op.create_table(
        "credential",
        sa.Column("access_context", sa.String(), nullable=False),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("put_by", sa.String(), nullable=False),
        sa.Column("put_time", sa.BigInteger(), nullable=False),
        sa.Column("expire_time", sa.BigInteger()),
        sa.PrimaryKeyConstraint("access_context"),
        sa.UniqueConstraint("organisation_id", "scope_id", "origin"),
    )


def downgrade() -> None:
    """Drops it, and what it kept."""
    op.drop_table("credential")
