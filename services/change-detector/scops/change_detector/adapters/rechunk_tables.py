"""Pages that are to be chunked anew."""

from sqlalchemy import Column, String, Table

from scops.change_detector.adapters.tables import metadata

rechunk = Table("rechunk", metadata, Column("page_id", String, primary_key=True))
