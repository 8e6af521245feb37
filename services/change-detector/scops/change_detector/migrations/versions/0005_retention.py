"""Versions that are not kept any more, pins, and blobs that may be garbage."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables and columns."""
    for column in (
        sa.Column("document_digest", sa.String(), nullable=False, server_default=""),
        sa.Column("dropped_time", sa.BigInteger(), nullable=True),
        sa.Column("dropped_reason", sa.String(), nullable=False, server_default=""),
    ):
        op.add_column("version", column)
    op.create_index("version_by_text_digest", "version", ["text_digest"])
    op.create_index("version_by_document_digest", "version", ["document_digest"])
    op.create_table(
        "pin",
        sa.Column("version_id", sa.String(), primary_key=True),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
    )
    op.create_index("pin_by_page", "pin", ["page_id"])
    op.create_table(
        "dropped_version",
        sa.Column("version_id", sa.String(), primary_key=True),
        sa.Column("page_id", sa.String(), nullable=False),
    )
    op.create_table(
        "garbage",
        sa.Column("digest", sa.String(), primary_key=True),
        sa.Column("noted_time", sa.BigInteger(), nullable=False),
    )
    op.create_index("garbage_by_time", "garbage", ["noted_time"])


def downgrade() -> None:
    """Drops them."""
    for table in ("garbage", "dropped_version", "pin"):
        op.drop_table(table)
    op.drop_index("version_by_document_digest", "version")
    op.drop_index("version_by_text_digest", "version")
    for column in ("dropped_reason", "dropped_time", "document_digest"):
        op.drop_column("version", column)
