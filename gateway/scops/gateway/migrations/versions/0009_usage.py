"""What principals spend in a day, and what jobs take of it."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the table, and adds to jobs what was fetched and what counts for it."""
    op.create_table(
        "usage",
        sa.Column("organisation_id", sa.String(), primary_key=True),
        sa.Column("principal_id", sa.String(), primary_key=True),
        sa.Column("day", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), primary_key=True),
        sa.Column("amount", sa.BigInteger(), nullable=False),
    )
    op.create_index("usage_by_day", "usage", ["day"])
    counted = sa.Column("fetched_bytes", sa.BigInteger(), nullable=False, server_default="0")
    op.add_column("job", counted)
    charged = sa.Column("charged", sa.Integer(), nullable=False, server_default="0")
    op.add_column("job", charged)


def downgrade() -> None:
    """Drops them."""
    for name in ("charged", "fetched_bytes"):
        op.drop_column("job", name)
    op.drop_table("usage")
