"""What is open of a job, and files by the beginnings of their URLs.

Revision ID: 0015
Revises: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None
OPEN = sa.text("state = 'open'")


def upgrade() -> None:
    """Adds the indexes."""
    op.create_index(
        "job_page_open", "job_page", ["job_id"], sqlite_where=OPEN, postgresql_where=OPEN
    )
    op.create_index(
        "plain_file_by_prefix",
        "plain_file",
        ["url"],
        postgresql_ops={"url": "text_pattern_ops"},
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_index("plain_file_by_prefix", "plain_file")
    op.drop_index("job_page_open", "job_page")
