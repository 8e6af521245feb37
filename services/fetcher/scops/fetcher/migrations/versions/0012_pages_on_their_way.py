"""Pages whose outcome is awaited, by host: a host that has many of them leaves others their share.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None
NAME = "page_on_its_way"
AWAITED = sa.text("awaiting_fetch_id IS NOT NULL")


def upgrade() -> None:
    """Adds the index."""
    op.create_index(NAME, "page", ["host_key"], sqlite_where=AWAITED, postgresql_where=AWAITED)


def downgrade() -> None:
    """Drops it."""
    op.drop_index(NAME, "page")
