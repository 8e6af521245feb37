"""Since when no kept version lists a chunk."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    op.add_column("chunk", sa.Column("dropped_time", sa.BigInteger(), nullable=True))
    op.create_index("chunk_dropped", "chunk", ["dropped_time"])


def downgrade() -> None:
    """Drops it."""
    op.drop_index("chunk_dropped", "chunk")
    op.drop_column("chunk", "dropped_time")
