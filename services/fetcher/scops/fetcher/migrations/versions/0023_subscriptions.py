"""Subscriptions at hubs of listings.

Revision ID: 0023
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table; no hub was asked yet."""
    op.create_table(
        "subscription",
        sa.Column("subscription_id", sa.String(), nullable=False),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("listing_url", sa.String(), nullable=False),
        sa.Column("hub_url", sa.String(), nullable=False),
        sa.Column("topic_url", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.Column("named_time", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_time", sa.BigInteger(), nullable=False),
        sa.Column("asked_time", sa.BigInteger(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("subscription_id"),
        sa.UniqueConstraint("organisation_id", "scope_id", "listing_url"),
    )
    op.create_index("ix_subscription_due_time", "subscription", ["due_time"])


def downgrade() -> None:
    """Drops it; what hubs go on to deliver is refused, and they leave off when their leases end."""
    op.drop_table("subscription")
