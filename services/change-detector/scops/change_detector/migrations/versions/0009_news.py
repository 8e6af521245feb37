"""News in the order in which they were recorded."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "news",
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("observed_from", sa.BigInteger(), primary_key=True),
        sa.Column("recorded_time", sa.BigInteger(), nullable=False),
    )
    op.create_index("news_by_time", "news", ["recorded_time", "page_id"])


def downgrade() -> None:
    """Drops it."""
    op.drop_table("news")
