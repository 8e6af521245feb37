"""What the histories of pages teach, and what of it has become news."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables; older releases use neither."""
    op.create_table(
        "page_memory",
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("memory", sa.LargeBinary(), nullable=False),
        sa.Column("settles_at", sa.Integer(), nullable=True),
    )
    op.create_index("page_memory_by_settling", "page_memory", ["settles_at"])
    op.create_table(
        "settled_news",
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("recorded_time", sa.BigInteger(), primary_key=True),
        sa.Column("observed_from", sa.BigInteger(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
    )
    op.create_index("settled_news_by_time", "settled_news", ["recorded_time", "page_id"])


def downgrade() -> None:
    """Drops them."""
    op.drop_table("settled_news")
    op.drop_table("page_memory")
