"""Events in the outbox that can never be published are set aside.

Revision ID: 0021
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; every row waits."""
    op.add_column("outbox", sa.Column("fault", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Drops it."""
    with op.batch_alter_table("outbox") as table:
        table.drop_column("fault")
