"""Watches, how far each has looked, what was sent, and pages that could not be fetched.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "watch",
        sa.Column("watch_id", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("principal", sa.String(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("condition", sa.JSON(), nullable=False),
        sa.Column("with_errors", sa.Boolean(), nullable=False),
        sa.Column("schedule", sa.JSON(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("shown_address", sa.Text(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.String(), nullable=False),
        sa.Column("limited_to", sa.JSON()),
        sa.Column("ceiling", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("end_reason", sa.String(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("place_at", sa.BigInteger(), nullable=False),
        sa.Column("place_page", sa.String(), nullable=False),
        sa.Column("due_at", sa.BigInteger()),
        sa.Column("claimed_until", sa.BigInteger()),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("watch_by_owner", "watch", ["organisation_id", "principal", "watch_id"])
    op.create_index("watch_by_due", "watch", ["state", "due_at"])
    op.create_table(
        "watch_delivery",
        sa.Column("delivery_id", sa.String(), primary_key=True),
        sa.Column("watch_id", sa.String(), nullable=False),
        sa.Column("after_at", sa.BigInteger(), nullable=False),
        sa.Column("after_page", sa.String(), nullable=False),
        sa.Column("until_at", sa.BigInteger(), nullable=False),
        sa.Column("until_page", sa.String(), nullable=False),
        sa.Column("more", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("change_count", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("failure", sa.Text(), nullable=False),
    )
    op.create_index("watch_delivery_by_watch", "watch_delivery", ["watch_id", "delivery_id"])
    op.create_index("watch_delivery_by_end", "watch_delivery", ["ended_at"])
    op.create_table(
        "page_failure",
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("reason", sa.String(), primary_key=True),
        sa.Column("day", sa.Integer(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("failed_at", sa.BigInteger(), nullable=False),
        sa.Column("recorded_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("page_failure_by_time", "page_failure", ["recorded_at", "page_id"])


def downgrade() -> None:
    """Drops them."""
    for table in ("page_failure", "watch_delivery", "watch"):
        op.drop_table(table)
