"""Events in the outbox and jobs name the work that wrote them."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None
TABLES = ("outbox", "job")


def upgrade() -> None:
    """Adds the columns."""
    for table in TABLES:
        op.add_column(table, sa.Column("trail", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Drops them."""
    for name in TABLES:
        with op.batch_alter_table(name) as table:
            table.drop_column("trail")
