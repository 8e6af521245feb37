"""Where pages stand on the web; written when a verdict brings something new."""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table

from scops.change_detector.adapters.tables import metadata

page_address = Table(
    "page_address",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("access_context", String, nullable=False),
    Column("canonical_url", String, nullable=False),
    Column("host", String, nullable=False),
    # Counts the news noted; whoever learned from the page notes up to which.
    Column("news", Integer, nullable=False),
    # Its blocks are counted among those of its host.
    Column("learned", Boolean, nullable=False),
    Index("page_address_by_host", "host"),
    Index("page_address_by_learned", "learned"),
)
