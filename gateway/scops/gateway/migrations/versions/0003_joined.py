"""Jobs count the pages whose URLs are names of other pages now."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the count."""
    op.add_column("job", sa.Column("joined", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drops it."""
    with op.batch_alter_table("job") as table:
        table.drop_column("joined")
