"""Heads whose URL prefixes are stale, in the order in which they are renewed."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Makes the index end in the page."""
    op.create_index("head_stale_pages", "head", ["prefixes_stale", "page_id"])
    op.drop_index("head_prefixes_stale", "head")


def downgrade() -> None:
    """Puts the index without it back."""
    op.create_index("head_prefixes_stale", "head", ["prefixes_stale"])
    op.drop_index("head_stale_pages", "head")
