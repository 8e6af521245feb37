"""Pages whose URL is not spelled in normal form: their prefixes in the store are written anew.

The sweeper does so; what it finds right, it leaves.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

HEAD = sa.table(
    "head",
    sa.column("canonical_url", sa.String),
    sa.column("prefix_ticket", sa.Integer),
    sa.column("prefixes_stale", sa.Boolean),
)
# An escape, slashes in a row behind those of the scheme, a dot at the end of the host.
UNUSUAL = sa.or_(
    *(
        HEAD.c.canonical_url.like(pattern, escape="!")
        for pattern in ("%!%%", "%://%//%", "%://%./%", "%://%.:%")
    )
)


def upgrade() -> None:
    """Marks them as stale."""
    ticket = HEAD.c.prefix_ticket + 1
    op.execute(sa.update(HEAD).where(UNUSUAL).values(prefix_ticket=ticket, prefixes_stale=True))


def downgrade() -> None:
    """Changes nothing: prefixes of either form may be written anew."""
