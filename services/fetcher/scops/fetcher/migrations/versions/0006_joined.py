"""Jobs count the pages whose URLs are names of other pages now."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the count."""
    count = sa.Column("joined_count", sa.Integer(), nullable=False, server_default="0")
    op.add_column("job", count)


def downgrade() -> None:
    """Drops it."""
    with op.batch_alter_table("job") as table:
        table.drop_column("joined_count")
