"""Who captured a page, where it is none that is fetched.

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; what has been fetched was captured by nobody."""
    op.add_column("page", sa.Column("captured_by", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("page", "captured_by")
