"""Chats: what was asked and answered, and which pages the answers hold words of.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "chat",
        sa.Column("chat_id", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("folded_title", sa.Text(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("share_hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
    )
    op.create_index("chat_by_owner", "chat", ["organisation_id", "owner", "asked_at", "chat_id"])
    op.create_index("chat_by_age", "chat", ["asked_at"])
    op.create_table(
        "chat_turn",
        sa.Column("chat_id", sa.String(), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("folded_query", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("as_of", sa.BigInteger()),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.Column("bundle", sa.LargeBinary(), nullable=False),
    )
    op.create_table(
        "chat_page",
        sa.Column("organisation_id", sa.String(), primary_key=True),
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("chat_id", sa.String(), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True),
    )
    op.create_index("chat_page_by_chat", "chat_page", ["chat_id"])


def downgrade() -> None:
    """Drops them."""
    for name in ("chat_page", "chat_turn", "chat"):
        op.drop_table(name)
