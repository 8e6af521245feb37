"""Pages that a research run did not try again.

Revision ID: 0019
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    op.add_column("research", sa.Column("passed", sa.JSON(), nullable=False, server_default="[]"))


def downgrade() -> None:
    """Drops it."""
    with op.batch_alter_table("research") as table:
        table.drop_column("passed")
