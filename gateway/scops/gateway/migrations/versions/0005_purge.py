"""Purges, and what the owners of their parts have reported."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "purge",
        sa.Column("purge_id", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("principal", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("command", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("purge_by_end", "purge", ["finished_at", "purge_id"])
    op.create_table(
        "purge_report",
        sa.Column("purge_id", sa.String(), primary_key=True),
        sa.Column("attempt", sa.Integer(), primary_key=True),
        sa.Column("owner", sa.String(), primary_key=True),
        sa.Column("batch", sa.Integer(), primary_key=True),
        sa.Column("data", sa.LargeBinary(), nullable=False),
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_table("purge_report")
    op.drop_table("purge")
