"""Scopes that are to be published.

Revision ID: 0022
Revises: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None
UNPROJECTED = sa.text("projected_revision < revision")


def upgrade() -> None:
    """Adds the index."""
    op.create_index(
        "scope_unprojected",
        "scope",
        ["updated_at"],
        sqlite_where=UNPROJECTED,
        postgresql_where=UNPROJECTED,
    )


def downgrade() -> None:
    """Drops it."""
    op.drop_index("scope_unprojected", "scope")
