"""What hosts repeat; where pages stand, by host."""

from urllib.parse import urlsplit

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Creates the tables and columns, and fills in the hosts of known pages."""
    op.create_table(
        "template_host",
        sa.Column("organisation_id", sa.String(), primary_key=True),
        sa.Column("host", sa.String(), primary_key=True),
        sa.Column("epoch", sa.Integer(), nullable=False),
    )
    op.create_table(
        "template_page",
        sa.Column("page_id", sa.String(), primary_key=True),
        sa.Column("organisation_id", sa.String(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("rank", sa.BigInteger(), nullable=False),
        sa.Column("keys", sa.LargeBinary(), nullable=False),
        sa.Column("successors", sa.LargeBinary(), nullable=False),
    )
    op.create_index("template_page_by_host", "template_page", ["organisation_id", "host", "rank"])
    op.create_table(
        "template_block",
        sa.Column("organisation_id", sa.String(), primary_key=True),
        sa.Column("host", sa.String(), primary_key=True),
        sa.Column("block", sa.String(), primary_key=True),
        sa.Column("shape", sa.String(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("keeper", sa.String(), nullable=False),
        sa.Column("retired", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
    )
    op.add_column(
        "version", sa.Column("template_epoch", sa.Integer(), nullable=False, server_default="0")
    )
    _add_to_addresses()


def _add_to_addresses() -> None:
    for column in (
        sa.Column("host", sa.String(), nullable=False, server_default=""),
        sa.Column("news", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("learned", sa.Boolean(), nullable=False, server_default=sa.false()),
    ):
        op.add_column("page_address", column)
    page = sa.table(
        "page_address", sa.column("page_id"), sa.column("canonical_url"), sa.column("host")
    )
    connection = op.get_bind()
    for row in connection.execute(sa.select(page.c.page_id, page.c.canonical_url)).all():
        connection.execute(
            sa.update(page)
            .where(page.c.page_id == row.page_id)
            .values(host=urlsplit(row.canonical_url).netloc)
        )
    op.create_index("page_address_by_host", "page_address", ["host"])
    op.create_index("page_address_by_learned", "page_address", ["learned"])


def downgrade() -> None:
    """Drops them."""
    op.drop_index("page_address_by_learned", "page_address")
    op.drop_index("page_address_by_host", "page_address")
    for column in ("learned", "news", "host"):
        op.drop_column("page_address", column)
    op.drop_column("version", "template_epoch")
    for table in ("template_block", "template_page", "template_host"):
        op.drop_table(table)
