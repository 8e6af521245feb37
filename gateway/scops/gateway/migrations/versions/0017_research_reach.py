"""How far a research run reaches, and the bytes that it took.

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
    """Adds the columns."""
    for name in ("hosts", "jobs"):
        listed = sa.Column(name, sa.JSON(), nullable=False, server_default="[]")
        op.add_column("research", listed)
    counted = sa.Column("fetched_bytes", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("research", counted)


def downgrade() -> None:
    """Drops them."""
    with op.batch_alter_table("research") as table:
        for name in ("fetched_bytes", "jobs", "hosts"):
            table.drop_column(name)
