"""Housekeeping and the search for lost messages find what is due without looking at every row.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

HANGING = sa.text("state = 'open' AND fetch_id IS NOT NULL")


def upgrade() -> None:
    """Adds the indexes."""
    op.create_index("ix_robots_expires_time", "robots", ["expires_time"])
    op.create_index("job_by_scope", "job", ["scope_id", "kind", "accepted_time"])
    op.create_index(
        "job_page_hanging",
        "job_page",
        ["fetch_id"],
        sqlite_where=HANGING,
        postgresql_where=HANGING,
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_index("job_page_hanging", "job_page")
    op.drop_index("job_by_scope", "job")
    op.drop_index("ix_robots_expires_time", "robots")
