"""Research runs, and the pages whose words they hold.

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "research",
        sa.Column("research_id", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("principal", sa.String(), nullable=False),
        sa.Column("bounds", sa.JSON(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("start_url", sa.String(), nullable=False),
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("chat_id", sa.String(), nullable=False),
        sa.Column("budget", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("stopped", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("pages", sa.JSON(), nullable=False),
        sa.Column("steps", sa.JSON(), nullable=False),
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.Column("claimed_until", sa.BigInteger()),
    )
    op.create_index(
        "research_by_owner", "research", ["organisation_id", "principal", "research_id"]
    )
    op.create_index("research_by_scope", "research", ["scope_id", "created_at"])
    op.create_index("research_by_state", "research", ["state", "created_at"])
    op.create_table(
        "research_page",
        sa.Column("organisation_id", sa.String(), primary_key=True),
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("research_id", sa.String(), primary_key=True),
    )
    op.create_index("research_page_by_research", "research_page", ["research_id"])


def downgrade() -> None:
    """Drops them."""
    for name in ("research_page", "research"):
        op.drop_table(name)
