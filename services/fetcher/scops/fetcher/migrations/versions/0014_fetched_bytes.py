"""What the pages of a job took, in bytes.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; fetchers of before leave it 0."""
    column = sa.Column("fetched_bytes", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("job", column)


def downgrade() -> None:
    """Drops it."""
    op.drop_column("job", "fetched_bytes")
