"""Listings that a scope has read whole: an unchanged one tells its recrawl nothing."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table."""
    op.create_table(
        "taken_listing",
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("access_context", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("scope_revision", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("sitemaps", sa.Text(), nullable=False),
        sa.Column("taken_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("organisation_id", "access_context", "scope_id", "url"),
    )
    op.create_index("ix_taken_listing_taken_time", "taken_listing", ["taken_time"])


def downgrade() -> None:
    """Drops it."""
    op.drop_table("taken_listing")
