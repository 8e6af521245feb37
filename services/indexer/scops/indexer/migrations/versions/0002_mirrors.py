"""Which chunks say the same as another."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column and creates the table."""
    op.add_column("chunk", sa.Column("wording_id", sa.String(), nullable=True))
    op.create_index("chunk_wording", "chunk", ["wording_id", "unlisted_since"])
    op.create_table(
        "wording_band",
        sa.Column("band", sa.BigInteger(), primary_key=True),
        sa.Column("wording_id", sa.String(), primary_key=True),
        sa.Column("simhash", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_table("wording_band")
    op.drop_index("chunk_wording", "chunk")
    op.drop_column("chunk", "wording_id")
