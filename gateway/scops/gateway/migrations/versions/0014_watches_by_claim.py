"""Watches by who works on them.

Revision ID: 0014
Revises: 0013
"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the index."""
    op.create_index("watch_by_claim", "watch", ["claimed_until"])


def downgrade() -> None:
    """Drops it."""
    op.drop_index("watch_by_claim", "watch")
