"""Files that are asked for with conditions: robots.txt, sitemaps, feeds and llms.txt."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the table."""
    op.create_table(
        "plain_file",
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("final_url", sa.String(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("last_modified", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("tried_time", sa.BigInteger(), nullable=False),
        sa.Column("unreachable_since", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("url"),
    )
    op.create_index("ix_plain_file_tried_time", "plain_file", ["tried_time"])


def downgrade() -> None:
    """Drops it."""
    op.drop_table("plain_file")
