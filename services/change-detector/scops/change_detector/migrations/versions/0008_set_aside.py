"""Since when a blob that may be garbage is set aside."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    op.add_column("garbage", sa.Column("aside_time", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("garbage", "aside_time")
