"""How far a crawl has come with the pages of the last one of its scope.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds table and column; a crawl of an earlier release has all of them from its start."""
    op.add_column(
        "job",
        sa.Column("revisits", sa.Boolean(), nullable=False, server_default=sa.text("false")),
    )
    op.create_table(
        "revisit",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("base_job_id", sa.String(), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("after_page_id", sa.String(), nullable=False),
        sa.Column("depth_first", sa.Integer(), nullable=False),
        sa.Column("standing", sa.Integer(), nullable=False),
        sa.Column("whole", sa.Boolean(), nullable=False),
        sa.Column("begin_time", sa.BigInteger(), nullable=False),
        sa.Column("turn_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("job_id"),
    )
    op.create_index("ix_revisit_base_job_id", "revisit", ["base_job_id"])


def downgrade() -> None:
    """Drops them; a crawl that is not through with them goes on with those it has."""
    op.drop_table("revisit")
    op.drop_column("job", "revisits")
