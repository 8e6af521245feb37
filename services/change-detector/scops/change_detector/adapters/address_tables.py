"""Where pages stand on the web; written when a verdict brings something new."""

from sqlalchemy import Column, String, Table

from scops.change_detector.adapters.tables import metadata

page_address = Table(
    "page_address",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("access_context", String, nullable=False),
    Column("canonical_url", String, nullable=False),
)
