"""Marks of purges, and what each fetch left in the archive."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables and columns."""
    op.add_column("page", sa.Column("purged_before", sa.BigInteger(), nullable=True))
    op.add_column("garbage", sa.Column("batch", sa.String(), nullable=False, server_default=""))
    op.create_index("garbage_by_batch", "garbage", ["batch"])
    op.create_index("version_by_manifest_digest", "version", ["manifest_digest"])
    op.create_table(
        "left_blob",
        sa.Column("digest", sa.String(), primary_key=True),
        sa.Column("fetch_id", sa.String(), primary_key=True),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("observed_time", sa.BigInteger(), nullable=False),
    )
    op.create_index("left_blob_by_page", "left_blob", ["page_id", "observed_time"])
    op.create_table(
        "purge_batch",
        sa.Column("batch", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("versions", sa.Integer(), nullable=False),
        sa.Column("observations", sa.Integer(), nullable=False),
        sa.Column("blobs", sa.Integer(), nullable=False),
        sa.Column("complete", sa.Boolean(), nullable=False),
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_table("purge_batch")
    op.drop_table("left_blob")
    op.drop_index("version_by_manifest_digest", "version")
    op.drop_index("garbage_by_batch", "garbage")
    op.drop_column("garbage", "batch")
    op.drop_column("page", "purged_before")
