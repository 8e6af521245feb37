"""How long the scopes of research runs are kept.

Revision ID: 0018
Revises: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the columns, and the table of scopes that are dropped."""
    op.add_column("research", sa.Column("keep_days", sa.Integer()))
    op.add_column("research", sa.Column("dropped_at", sa.BigInteger()))
    op.create_index("research_by_chat", "research", ["chat_id"])
    op.create_table(
        "research_keeping",
        sa.Column("organisation_id", sa.String(), primary_key=True),
        sa.Column("scope_id", sa.String(), primary_key=True),
        sa.Column("principal", sa.String(), nullable=False),
        sa.Column("keep_days", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("claimed_until", sa.BigInteger()),
    )
    op.create_index("research_keeping_by_due", "research_keeping", ["due_at"])


def downgrade() -> None:
    """Drops them."""
    op.drop_table("research_keeping")
    op.drop_index("research_by_chat", "research")
    with op.batch_alter_table("research") as table:
        for name in ("dropped_at", "keep_days"):
            table.drop_column(name)
