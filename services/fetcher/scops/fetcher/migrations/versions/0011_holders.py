"""Which process holds a host, and does a fetch: its heir need not wait for the lease to run out.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None
COLUMNS = (("host", "lease_holder"), ("fetch", "holder"))


def upgrade() -> None:
    """Adds the columns."""
    for table, name in COLUMNS:
        op.add_column(table, sa.Column(name, sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Drops them."""
    for table, name in COLUMNS:
        with op.batch_alter_table(table) as batch:
            batch.drop_column(name)
