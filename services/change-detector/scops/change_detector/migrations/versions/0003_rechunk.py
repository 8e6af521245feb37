"""Pages that are to be chunked anew."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table."""
    op.create_table("rechunk", sa.Column("page_id", sa.String(), primary_key=True))


def downgrade() -> None:
    """Drops the table."""
    op.drop_table("rechunk")
