"""The audit by what was done, and by when.

Revision ID: 0013
Revises: 0012
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the indexes."""
    op.create_index("audit_by_action", "audit", ["action", "sequence"])
    op.create_index("audit_by_time", "audit", ["time"])


def downgrade() -> None:
    """Drops them."""
    op.drop_index("audit_by_time", "audit")
    op.drop_index("audit_by_action", "audit")
