"""Whether an observation brought a body, and pins by their end."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column and the index."""
    op.add_column("observation", sa.Column("unmodified", sa.Boolean(), nullable=True))
    op.create_index("pin_by_end", "pin", ["until"])


def downgrade() -> None:
    """Drops them."""
    op.drop_index("pin_by_end", "pin")
    op.drop_column("observation", "unmodified")
