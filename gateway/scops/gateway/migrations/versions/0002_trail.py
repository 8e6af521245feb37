"""Events in the outbox name the work that wrote them."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    op.add_column("outbox", sa.Column("trail", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Drops it."""
    with op.batch_alter_table("outbox") as table:
        table.drop_column("trail")
