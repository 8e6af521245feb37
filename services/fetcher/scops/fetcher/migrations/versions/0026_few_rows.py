"""What is told of a job first, jobs that run, and schedules in the order of their sums.

Revision ID: 0026
Revises: 0025
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None
WEIGHT = "(CASE WHEN outcome IN ('dead', 'blocked') THEN 0 WHEN outcome = '' THEN 1 ELSE 2 END)"

RUNNING = sa.text("state = 'running'")


def upgrade() -> None:
    """Adds the indexes, one of them in the place of another."""
    op.create_index("job_page_by_weight", "job_page", ["job_id", sa.text(WEIGHT), "url"])
    op.create_index(
        "job_running",
        "job",
        ["accepted_time"],
        sqlite_where=RUNNING,
        postgresql_where=RUNNING,
    )
    op.create_index("schedule_by_host", "schedule", ["host_key", "page_id"])
    op.drop_index("ix_schedule_host_key", "schedule")


def downgrade() -> None:
    """Takes them back."""
    op.create_index("ix_schedule_host_key", "schedule", ["host_key"])
    op.drop_index("schedule_by_host", "schedule")
    op.drop_index("job_running", "job")
    op.drop_index("job_page_by_weight", "job_page")
