"""Keys that sign.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    op.add_column("api_key", sa.Column("signing_secret", sa.LargeBinary()))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("api_key", "signing_secret")
