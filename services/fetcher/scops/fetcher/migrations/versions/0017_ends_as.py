"""What a job ends as, while its rows are closed some at a time.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; no job is being ended."""
    op.add_column("job", sa.Column("ends_as", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("job", "ends_as")
