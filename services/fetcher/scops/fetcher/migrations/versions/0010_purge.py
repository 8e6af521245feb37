"""Purges that are under way, and fetches by page."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table and the index."""
    op.create_table(
        "purge",
        sa.Column("purge_id", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("command", sa.LargeBinary(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("after_page", sa.String(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("page_count", sa.Integer(), nullable=False),
        sa.Column("fetch_count", sa.Integer(), nullable=False),
        sa.Column("accepted_time", sa.BigInteger(), nullable=False),
        sa.Column("done_time", sa.BigInteger(), nullable=True),
    )
    op.create_index("fetch_by_page", "fetch", ["page_id"])


def downgrade() -> None:
    """Drops them."""
    op.drop_index("fetch_by_page", "fetch")
    op.drop_table("purge")
