"""The state of listings: which of them jobs have read whole, and which hubs tell of."""

from sqlalchemy import Boolean, Column, Integer, String, Table, Text, UniqueConstraint

from scops.common.db.types import UtcDateTime
from scops.fetcher.adapters.sql.tables import metadata

# Listings as jobs of a scope have read them whole.
taken_listing = Table(
    "taken_listing",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("access_context", String, primary_key=True),
    Column("scope_id", String, primary_key=True),
    Column("url", String, primary_key=True),
    Column("scope_revision", Integer, nullable=False),
    Column("digest", String, nullable=False),
    # A list of URLs in JSON.
    Column("sitemaps", Text, nullable=False),
    Column("taken_time", UtcDateTime, nullable=False, index=True),
)

# Listings of scopes at the hubs that they name; one a scope and listing.
subscription = Table(
    "subscription",
    metadata,
    Column("subscription_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("scope_id", String, nullable=False),
    Column("listing_url", String, nullable=False),
    Column("hub_url", String, nullable=False),
    Column("topic_url", String, nullable=False),
    # By which the hub signs; worth no more than a needless fetch.
    Column("secret", String, nullable=False),
    Column("wanted", Boolean, nullable=False),
    # Whether the scope named the listing itself when a crawl came across it.
    Column("listed", Boolean, nullable=False),
    Column("named_time", UtcDateTime, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_time", UtcDateTime, nullable=False, index=True),
    Column("asked_time", UtcDateTime),
    Column("lease_until", UtcDateTime),
    UniqueConstraint("organisation_id", "scope_id", "listing_url"),
)
