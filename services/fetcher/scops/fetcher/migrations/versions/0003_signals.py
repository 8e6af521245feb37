"""Signals of change, how long hosts take, what pages call themselves, and budgets of templates."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None
PAGE_COLUMNS = ("text_digest", "stated_url")


def upgrade() -> None:
    """Adds the tables and columns."""
    op.create_table(
        "signal",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("value_time", sa.BigInteger(), nullable=False),
        sa.Column("seen_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("page_id", "kind"),
    )
    op.create_table(
        "job_template",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("template", sa.String(), nullable=False),
        sa.Column("admitted_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "template"),
    )
    seconds = sa.Column("response_seconds", sa.Float(), nullable=False, server_default="0")
    op.add_column("host", seconds)
    for name in PAGE_COLUMNS:
        op.add_column("page", sa.Column(name, sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Drops them."""
    with op.batch_alter_table("page") as table:
        for name in PAGE_COLUMNS:
            table.drop_column(name)
    with op.batch_alter_table("host") as table:
        table.drop_column("response_seconds")
    op.drop_table("job_template")
    op.drop_table("signal")
