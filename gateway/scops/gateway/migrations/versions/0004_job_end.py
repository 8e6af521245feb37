"""Jobs by their end."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the index."""
    op.create_index("job_by_end", "job", ["finished_at"])


def downgrade() -> None:
    """Drops it."""
    op.drop_index("job_by_end", "job")
