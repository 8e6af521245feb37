"""Addresses of pages, and stays by the instant they opened."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table and the index."""
    op.create_table(
        "page_address",
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("access_context", sa.String(), nullable=False),
        sa.Column("canonical_url", sa.String(), nullable=False),
    )
    op.create_index("stay_by_opening", "stay", ["first_observed"])


def downgrade() -> None:
    """Drops them."""
    op.drop_index("stay_by_opening", "stay")
    op.drop_table("page_address")
