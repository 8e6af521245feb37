"""Which links a job was given, and the crawl that it rests on, so that they are given once.

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
    """Adds the columns; nothing is known of links that were given before."""
    op.add_column("job", sa.Column("rules_key", sa.String(), nullable=False, server_default=""))
    op.add_column("job", sa.Column("rests_on", sa.String()))
    op.add_column("job", sa.Column("links_time", sa.BigInteger()))
    op.add_column(
        "job_page", sa.Column("given_links", sa.String(), nullable=False, server_default="")
    )
    op.add_column(
        "job_page",
        sa.Column("names_feeds", sa.Boolean(), nullable=False, server_default=sa.text("false")),
    )


def downgrade() -> None:
    """Drops them."""
    op.drop_column("job_page", "names_feeds")
    op.drop_column("job_page", "given_links")
    op.drop_column("job", "links_time")
    op.drop_column("job", "rests_on")
    op.drop_column("job", "rules_key")
