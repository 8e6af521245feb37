"""Pages of which versions are purged."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table, with those that are to be gone over again."""
    op.create_table(
        "purged_page",
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("purged_through", sa.BigInteger(), nullable=False),
        sa.Column("noted_time", sa.BigInteger(), nullable=False),
        sa.Column("settled", sa.Boolean(), nullable=False),
    )
    op.create_index("purged_page_settled", "purged_page", ["settled", "noted_time"])


def downgrade() -> None:
    """Drops it."""
    op.drop_table("purged_page")
