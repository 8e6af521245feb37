"""Where the page of a job led, which was not followed.

Revision ID: 0024
Revises: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; of pages that ended before nothing is known."""
    op.add_column("job_page", sa.Column("leads_to", sa.String(), nullable=False, server_default=""))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("job_page", "leads_to")
