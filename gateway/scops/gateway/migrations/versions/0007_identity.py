"""API keys, roles and groups, people who came in by tokens, and the first claim."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables."""
    op.create_table(
        "api_key",
        sa.Column("key_id", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("principal", sa.String(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("scope_ids", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.Column("used_at", sa.BigInteger()),
    )
    op.create_index("api_key_by_age", "api_key", ["organisation_id", "created_at", "key_id"])
    op.create_table(
        "member",
        sa.Column("organisation_id", sa.String(), primary_key=True),
        sa.Column("subject", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), primary_key=True),
        sa.Column("value", sa.String(), primary_key=True),
    )
    op.create_table(
        "person",
        sa.Column("organisation_id", sa.String(), primary_key=True),
        sa.Column("principal", sa.String(), primary_key=True),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "claim",
        sa.Column("token_hash", sa.LargeBinary(), primary_key=True),
        sa.Column("offered_at", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    """Drops them."""
    for table in ("claim", "person", "member", "api_key"):
        op.drop_table(table)
