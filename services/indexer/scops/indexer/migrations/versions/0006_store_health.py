"""When the chunk store was last known to be well."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "store_health",
        sa.Column("store", sa.String(), primary_key=True),
        sa.Column("healthy_time", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    """Drops it."""
    op.drop_table("store_health")
