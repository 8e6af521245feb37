"""The state of the recrawl: schedules of pages, what sites have taught, budgets."""

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, Table, Text

from scops.common.db.types import UtcDateTime
from scops.fetcher.adapters.sql.tables import metadata

schedule = Table(
    "schedule",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("host_key", String, nullable=False),
    # Whose budget pays: a scope with one of its own, or empty.
    Column("budget_id", String, nullable=False),
    Column("checked_time", UtcDateTime, nullable=False),
    Column("changed_time", UtcDateTime),
    Column("gone", Boolean, nullable=False),
    # Of the change rate; see `schedule_rows`.
    Column("evidence", Text, nullable=False),
    # Signals since the last check, by kind.
    Column("signals", String, nullable=False),
    # Checks and the changes they found, never decayed: what a site is pooled from.
    Column("observed_count", Integer, nullable=False),
    Column("semantic_count", Integer, nullable=False),
    Column("observed_days", Float, nullable=False),
    # In the units of `crawl_demand`.
    Column("demand", Float, nullable=False),
    # Empty while no scope with a budget holds the page.
    Column("due_time", UtcDateTime),
    Index("schedule_by_due", "budget_id", "due_time"),
    Index("schedule_by_host", "host_key", "page_id"),
)

# Sums over the pages of a site; over all sites where the host is empty.
site_rate = Table(
    "site_rate",
    metadata,
    Column("host_key", String, primary_key=True),
    Column("changes", Float, nullable=False),
    Column("days", Float, nullable=False),
)

# What became of the signals of a site; of all sites where the host is empty.
site_signal = Table(
    "site_signal",
    metadata,
    Column("host_key", String, primary_key=True),
    Column("kind", String, primary_key=True),
    Column("true_count", Float, nullable=False),
    Column("false_count", Float, nullable=False),
    Column("missed_count", Float, nullable=False),
)

budget = Table(
    "budget",
    metadata,
    Column("budget_id", String, primary_key=True),
    # Value of a fetch from which on the budget pays for it.
    Column("threshold", Float, nullable=False),
    # Fetches that may be spent now.
    Column("tokens", Float, nullable=False),
    Column("refilled_time", UtcDateTime, nullable=False),
    Column("page_count", Integer, nullable=False),
    Column("demand_sum", Float, nullable=False),
)

# When the sitemaps of a scope were last read by a recrawl.
scope_visit = Table(
    "scope_visit",
    metadata,
    Column("scope_id", String, primary_key=True),
    Column("sitemap_time", UtcDateTime, nullable=False),
)
