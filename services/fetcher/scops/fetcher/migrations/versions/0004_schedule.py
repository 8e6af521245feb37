"""Schedules of pages, what their sites have taught, and budgets of the recrawl."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None
TABLES = ("schedule", "site_rate", "site_signal", "budget", "scope_visit")
COUNTS = ("observed_count", "semantic_count")


def upgrade() -> None:
    """Adds the tables; a page's counts move to its schedule, which its next check begins."""
    op.create_table(
        "schedule",
        sa.Column("page_id", sa.String(), nullable=False),
        sa.Column("host_key", sa.String(), nullable=False),
        sa.Column("budget_id", sa.String(), nullable=False),
        sa.Column("checked_time", sa.BigInteger(), nullable=False),
        sa.Column("changed_time", sa.BigInteger(), nullable=True),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("signals", sa.String(), nullable=False),
        sa.Column("observed_count", sa.Integer(), nullable=False),
        sa.Column("semantic_count", sa.Integer(), nullable=False),
        sa.Column("observed_days", sa.Float(), nullable=False),
        sa.Column("demand", sa.Float(), nullable=False),
        sa.Column("due_time", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("page_id"),
    )
    op.create_index("ix_schedule_host_key", "schedule", ["host_key"])
    op.create_index("schedule_by_due", "schedule", ["budget_id", "due_time"])
    op.create_table(
        "site_rate",
        sa.Column("host_key", sa.String(), nullable=False),
        sa.Column("changes", sa.Float(), nullable=False),
        sa.Column("days", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("host_key"),
    )
    op.create_table(
        "site_signal",
        sa.Column("host_key", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("true_count", sa.Float(), nullable=False),
        sa.Column("false_count", sa.Float(), nullable=False),
        sa.Column("missed_count", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("host_key", "kind"),
    )
    op.create_table(
        "budget",
        sa.Column("budget_id", sa.String(), nullable=False),
        sa.Column("threshold", sa.Float(), nullable=False),
        sa.Column("tokens", sa.Float(), nullable=False),
        sa.Column("refilled_time", sa.BigInteger(), nullable=False),
        sa.Column("page_count", sa.Integer(), nullable=False),
        sa.Column("demand_sum", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("budget_id"),
    )
    op.create_table(
        "scope_visit",
        sa.Column("scope_id", sa.String(), nullable=False),
        sa.Column("sitemap_time", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("scope_id"),
    )
    with op.batch_alter_table("page") as table:
        for name in COUNTS:
            table.drop_column(name)


def downgrade() -> None:
    """Drops them; counts begin anew."""
    for name in COUNTS:
        count = sa.Column(name, sa.Integer(), nullable=False, server_default="0")
        op.add_column("page", count)
    for name in TABLES:
        op.drop_table(name)
