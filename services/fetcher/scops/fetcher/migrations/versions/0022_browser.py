"""Pages that a browser shows, and how many it has shown.

Revision ID: 0022
Revises: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds column and table; no page needs a browser yet."""
    op.add_column(
        "page",
        sa.Column("by_browser", sa.Boolean(), nullable=False, server_default=sa.text("false")),
    )
    op.create_table(
        "rendering",
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("organisation_id", "scope_id", "day"),
    )
    op.create_index("ix_rendering_day", "rendering", ["day"])


def downgrade() -> None:
    """Drops them; pages that only scripts fill are blocked again."""
    op.drop_table("rendering")
    op.drop_column("page", "by_browser")
