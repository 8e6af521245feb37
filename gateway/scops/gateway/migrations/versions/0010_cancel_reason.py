"""Why jobs were to be cancelled that no caller cancelled.

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    column = sa.Column("cancel_reason", sa.String(), nullable=False, server_default="")
    op.add_column("job", column)


def downgrade() -> None:
    """Drops it."""
    op.drop_column("job", "cancel_reason")
