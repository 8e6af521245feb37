"""Research runs by their age, and those that a gateway works on.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None
CLAIMED = sa.text("claimed_until IS NOT NULL")


def upgrade() -> None:
    """Adds the indexes."""
    op.create_index("research_by_age", "research", ["created_at"])
    op.create_index(
        "research_claimed",
        "research",
        ["claimed_until"],
        sqlite_where=CLAIMED,
        postgresql_where=CLAIMED,
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_index("research_claimed", "research")
    op.drop_index("research_by_age", "research")
