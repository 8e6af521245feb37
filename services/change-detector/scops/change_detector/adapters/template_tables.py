"""What hosts repeat: a sample of pages with their blocks, and the templates learned from it."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
)

from scops.change_detector.adapters.tables import metadata
from scops.common.db.types import ForeignText

# One row a host of which anything was learned; the lock of the rows below.
template_host = Table(
    "template_host",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("host", String, primary_key=True),
    Column("epoch", Integer, nullable=False),
)

# The pages of a host with the smallest ranks; `rank` is a hash of the page's id.
template_page = Table(
    "template_page",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("host", String, nullable=False),
    Column("rank", BigInteger, nullable=False),
    # Pairs of 64-bit hashes, text and shape, little-endian.
    Column("keys", LargeBinary, nullable=False),
    # Hashes of texts that took the place of a template here.
    Column("successors", LargeBinary, nullable=False),
    Index("template_page_by_host", "organisation_id", "host", "rank"),
)

# The mask of a host's epoch, with what inspecting it needs.
template_block = Table(
    "template_block",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("host", String, primary_key=True),
    # Unsigned 64 bits, as hex: no integer column of both databases holds them.
    Column("block", String, primary_key=True),
    Column("shape", String, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("keeper", String, nullable=False),
    Column("retired", Boolean, nullable=False),
    Column("text", ForeignText, nullable=False),
)
