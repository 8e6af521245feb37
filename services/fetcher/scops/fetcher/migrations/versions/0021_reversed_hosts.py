"""Hosts from the right, so that a domain is a range; the loop `hosts` fills those of old pages.

Revision ID: 0021
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

BY_CODE_POINT = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    """Adds column and index."""
    op.add_column("page", sa.Column("reversed_host", BY_CODE_POINT))
    op.create_index("page_by_host", "page", ["organisation_id", "reversed_host"])


def downgrade() -> None:
    """Drops them."""
    op.drop_index("page_by_host", "page")
    op.drop_column("page", "reversed_host")
