"""Pages, observations, stays, versions and the verdicts given on them."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "page",
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("row_revision", sa.Integer(), nullable=False),
    )
    op.create_table(
        "observation",
        sa.Column("fetch_id", sa.String(), primary_key=True),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("observed_time", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text_digest", sa.String(), nullable=False),
        sa.Column("pipeline_version", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("moved_to", sa.String(), nullable=False),
    )
    op.create_index("observation_by_time", "observation", ["page_id", "observed_time"])
    op.create_table(
        "stay",
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("observed_from", sa.BigInteger(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("first_observed", sa.BigInteger(), nullable=False),
        sa.Column("last_observed", sa.BigInteger(), nullable=False),
        sa.Column("observed_to", sa.BigInteger(), nullable=True),
        sa.Column("row_revision", sa.Integer(), nullable=False),
    )
    op.create_index("stay_by_time", "stay", ["page_id", "first_observed"])
    _create_version()
    op.create_table(
        "verdict",
        sa.Column("fetch_id", sa.String(), primary_key=True),
        sa.Column("pipeline_version", sa.String(), primary_key=True),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("pipeline_changed", sa.Boolean(), nullable=False),
        sa.Column("opened", sa.String(), nullable=False),
        sa.Column("restored_version_id", sa.String(), nullable=False),
        sa.Column("moved", sa.Text(), nullable=False),
    )


def downgrade() -> None:
    """Drops the tables."""
    for table in ("verdict", "version", "stay", "observation", "page"):
        op.drop_table(table)


def _create_version() -> None:
    op.create_table(
        "version",
        sa.Column("version_id", sa.String(), primary_key=True),
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("observed_from", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("text_digest", sa.String(), nullable=False),
        sa.Column("pipeline_version", sa.String(), nullable=False),
        sa.Column("chunking", sa.String(), nullable=False),
        sa.Column("manifest_digest", sa.String(), nullable=False),
        sa.Column("manifest_size", sa.Integer(), nullable=False),
        sa.Column("compared_with", sa.String(), nullable=False),
        sa.Column("restored_version_id", sa.String(), nullable=False),
        sa.Column("pipeline_changed", sa.Boolean(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("summary", sa.LargeBinary(), nullable=False),
        sa.UniqueConstraint("page_id", "observed_from", "revision", name="version_order_key"),
    )
    op.create_index("version_by_text", "version", ["page_id", "text_digest"])
