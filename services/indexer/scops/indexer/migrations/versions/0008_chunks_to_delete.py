"""Chunks with objects to delete, in the order in which they are deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None
TO_DELETE = sa.text("delete_from IS NOT NULL")


def upgrade() -> None:
    """Puts an index of those alone, by chunk, in the place of one of all."""
    op.create_index(
        "chunk_to_delete",
        "chunk",
        ["chunk_id"],
        sqlite_where=TO_DELETE,
        postgresql_where=TO_DELETE,
    )
    op.drop_index("chunk_delete", "chunk")


def downgrade() -> None:
    """Puts the index of all back."""
    op.create_index("chunk_delete", "chunk", ["delete_from"])
    op.drop_index("chunk_to_delete", "chunk")
