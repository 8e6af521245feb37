"""The fetcher's state: pages and aliases, hosts, the queue, jobs, fetches, outbox and inbox."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)

from scops.common.db.outbox import inbox_table, outbox_table
from scops.common.db.types import ForeignText, UtcDateTime

metadata = MetaData()

# Word for word in queries too: a planner takes the index of a condition that it recognises.
OPEN = "state = 'open'"
HANGING = "state = 'open' AND fetch_id IS NOT NULL"
RUNNING = "state = 'running'"
# Of what became of the pages of a job: what went wrong, then what is open, then the rest.
WEIGHT = "(CASE WHEN outcome IN ('dead', 'blocked') THEN 0 WHEN outcome = '' THEN 1 ELSE 2 END)"
# What a fetch is while it waits to be published with others, and until its outcome is known.
VERIFIED = "verified"
AWAITED = (VERIFIED, "published")
# Compared by code point everywhere: URL prefixes are ranges.
_Sorted = String().with_variant(String(collation="C"), "postgresql")

page = Table(
    "page",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("access_context", String, nullable=False),
    Column("canonical_url", String, nullable=False),
    # `host/path?query` and `host` of the normal form: what KnownUrls ranges over.
    Column("schemeless_url", _Sorted, nullable=False),
    Column("netloc", _Sorted, nullable=False),
    # The host from the right, `org.example.docs`: domains are ranges. Empty until the loop
    # `hosts` has come to a page of an earlier release.
    Column("reversed_host", _Sorted),
    Column("host_key", String, nullable=False),
    Column("status", String, nullable=False),
    Column("last_reason", String, nullable=False),
    Column("last_fetch_id", String),
    Column("last_fetch_time", UtcDateTime),
    # Observed times only grow.
    Column("last_observed_time", UtcDateTime),
    # Not leased while set: its outcome is not known yet.
    Column("awaiting_fetch_id", String),
    Column("attempts", Integer, nullable=False),
    # Of the last fetch that the index confirmed; empty sends no conditional request.
    Column("validator_fetch_id", String),
    Column("etag", String, nullable=False),
    Column("last_modified", String, nullable=False),
    Column("validated_url", String, nullable=False),
    # What the body was, so that a server without validators can repeat itself cheaply.
    Column("content_key", String, nullable=False),
    Column("pipeline_version", String, nullable=False),
    Column("links_digest", String),
    Column("links_size", Integer, nullable=False),
    # Of the last extraction: what its text is, and the URL that the page calls its own.
    Column("text_digest", String, nullable=False, server_default=""),
    Column("stated_url", String, nullable=False, server_default=""),
    # Who captured it last; empty for a page that is fetched.
    Column("captured_by", String, nullable=False, server_default=""),
    # Only a browser shows what it says.
    Column("by_browser", Boolean, nullable=False, server_default=text("false")),
    Index("page_by_url", "organisation_id", "schemeless_url", "page_id"),
    Index("page_by_host", "organisation_id", "reversed_host"),
    # Of pages on their way through the pipeline, of which there are few. On PostgreSQL the
    # migration says the same: that dialect costs every fetcher its memory.
    Index("page_on_its_way", "host_key", sqlite_where=text("awaiting_fetch_id IS NOT NULL")),
)

alias = Table(
    "alias",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("access_context", String, primary_key=True),
    Column("url", String, primary_key=True),
    Column("page_id", String, nullable=False, index=True),
)

host = Table(
    "host",
    metadata,
    Column("host_key", String, primary_key=True),
    Column("next_allowed_time", UtcDateTime, nullable=False),
    Column("lease_id", String),
    Column("lease_until", UtcDateTime),
    # The process that has the lease; see `Holder`.
    Column("lease_holder", String, nullable=False, server_default=""),
    Column("crawl_delay_seconds", Float, nullable=False),
    # How long it takes to answer, smoothed.
    Column("response_seconds", Float, nullable=False, server_default="0"),
    Column("backoff", Integer, nullable=False),
    # When a worker should look at this host next, by lane; empty while nothing waits there.
    Column("wake_now", UtcDateTime, index=True),
    Column("wake_bulk", UtcDateTime, index=True),
)

robots = Table(
    "robots",
    metadata,
    # The URL of the robots.txt: one for each scheme, host and port.
    Column("robots_url", String, primary_key=True),
    Column("host_key", String, nullable=False, index=True),
    Column("kind", String, nullable=False),
    Column("text", ForeignText, nullable=False),
    Column("crawl_delay_seconds", Float, nullable=False),
    Column("expires_time", UtcDateTime, nullable=False, index=True),
)

# robots.txt and listings as they came last, asked for with conditions.
plain_file = Table(
    "plain_file",
    metadata,
    Column("url", String, primary_key=True),
    Column("final_url", String, nullable=False),
    Column("etag", ForeignText, nullable=False),
    Column("last_modified", ForeignText, nullable=False),
    # Compressed; empty where nothing is held.
    Column("body", LargeBinary),
    Column("tried_time", UtcDateTime, nullable=False, index=True),
    Column("unreachable_since", UtcDateTime),
    # On PostgreSQL for prefixes, as the migration says.
    Index("plain_file_by_prefix", "url"),
)

# What may be leased: a page some job waits for, or a sitemap to read.
queue = Table(
    "queue",
    metadata,
    Column("entry_id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("host_key", String, nullable=False),
    Column("lane", String, nullable=False),
    Column("due_time", UtcDateTime, nullable=False),
    Index("queue_by_host", "host_key", "lane", "due_time", "entry_id"),
)

job = Table(
    "job",
    metadata,
    Column("job_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("access_context", String, nullable=False),
    Column("scope_id", String, nullable=False),
    Column("scope_revision", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("lane", String, nullable=False),
    Column("accepted_time", UtcDateTime, nullable=False, index=True),
    Column("finished_time", UtcDateTime),
    Column("state", String, nullable=False),
    # The state it will have, from when its end began to when its last row is closed.
    Column("ends_as", String, nullable=False, server_default=""),
    Column("page_limit", Integer, nullable=False),
    Column("depth_limit", Integer, nullable=False),
    Column("follow_links", Boolean, nullable=False),
    Column("admitted_count", Integer, nullable=False),
    Column("open_count", Integer, nullable=False),
    # Sitemaps still to be read; the job ends when no page and no sitemap is open.
    Column("open_tasks", Integer, nullable=False),
    # It has yet to take up pages of the last crawl of its scope.
    Column("revisits", Boolean, nullable=False, server_default=text("false")),
    Column("indexed_count", Integer, nullable=False),
    Column("unchanged_count", Integer, nullable=False),
    Column("joined_count", Integer, nullable=False, server_default="0"),
    Column("gone_count", Integer, nullable=False),
    Column("blocked_count", Integer, nullable=False),
    Column("dead_count", Integer, nullable=False),
    Column("cancelled_count", Integer, nullable=False),
    # Of the bodies that its pages' fetches were sent.
    Column("fetched_bytes", BigInteger, nullable=False, server_default="0"),
    Column("unreported", Integer, nullable=False),
    Column("progress_count", Integer, nullable=False),
    Column("progress_time", UtcDateTime, nullable=False),
    # Tells the rules that it began with from others.
    Column("rules_key", String, nullable=False, server_default=""),
    # The crawl all of whose pages it holds from its start; what that one was given of links holds.
    Column("rests_on", String),
    # When the crawl began that took up the links of all its pages itself.
    Column("links_time", UtcDateTime),
    # Of the call that wanted it; the fetches done for it follow it.
    Column("trail", String, nullable=False, server_default=""),
    Index("job_by_scope", "scope_id", "kind", "accepted_time"),
    Index("job_running", "accepted_time", sqlite_where=text(RUNNING)),
)

# How far a crawl has come with the pages of the last one of its scope; gone once it has them.
revisit = Table(
    "revisit",
    metadata,
    Column("job_id", String, primary_key=True),
    Column("base_job_id", String, nullable=False, index=True),
    # Of `revisits.Stage`.
    Column("stage", Integer, nullable=False),
    Column("after_page_id", String, nullable=False),
    Column("depth_first", Integer, nullable=False),
    # Pages so far that still stand.
    Column("standing", Integer, nullable=False),
    # Whether every page so far is in.
    Column("whole", Boolean, nullable=False),
    Column("begin_time", UtcDateTime, nullable=False),
    Column("turn_time", UtcDateTime, nullable=False),
)

# The ledger: one row per job and page, and one for each URL that could not become a page.
job_page = Table(
    "job_page",
    metadata,
    Column("job_id", String, primary_key=True),
    Column("page_id", String, primary_key=True),
    Column("url", String, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("fetch_id", String, index=True),
    Column("links_taken", Boolean, nullable=False),
    # The list of links of which the job holds every page that its rules admit; empty for none.
    Column("given_links", String, nullable=False, server_default=""),
    # Whether that list names feeds.
    Column("names_feeds", Boolean, nullable=False, server_default=text("false")),
    Column("outcome", String, nullable=False),
    Column("reason", String, nullable=False),
    # Where it redirects for now, to another host; empty where it does not.
    Column("leads_to", String, nullable=False, server_default=""),
    Column("closed_time", UtcDateTime),
    Index("job_page_by_page", "page_id", "state"),
    # What is told of a job first, however many pages it has.
    Index("job_page_by_weight", "job_id", text(WEIGHT), "url"),
    # Of a job that is cancelled, what is open.
    Index("job_page_open", "job_id", sqlite_where=text(OPEN)),
    # Of rows that wait for a fetch: as few as there are pages in flight.
    Index(
        "job_page_hanging",
        "fetch_id",
        # On PostgreSQL the migration says the same: that dialect costs every fetcher its memory.
        sqlite_where=text(HANGING),
    ),
)

task = Table(
    "task",
    metadata,
    Column("task_id", String, primary_key=True),
    Column("job_id", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("url", String, nullable=False),
    Column("host_key", String, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("lease_id", String, index=True),
    Column("attempts", Integer, nullable=False),
    UniqueConstraint("job_id", "url"),
)

# Pages that a browser has shown for a scope, a day.
rendering = Table(
    "rendering",
    metadata,
    Column("organisation_id", String, primary_key=True),
    Column("scope_id", String, primary_key=True),
    # Days since 1970-01-01, UTC.
    Column("day", Integer, primary_key=True, index=True),
    Column("pages", Integer, nullable=False),
)

fetch = Table(
    "fetch",
    metadata,
    Column("fetch_id", String, primary_key=True),
    Column("page_id", String, nullable=False),
    Column("organisation_id", String, nullable=False),
    Column("lane", String, nullable=False),
    Column("leased_time", UtcDateTime, nullable=False, index=True),
    # The process that does it; see `Holder`.
    Column("holder", String, nullable=False, server_default=""),
    # leased, verified (waits to be published with others), published (its outcome is awaited),
    # closed.
    Column("state", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("observed_time", UtcDateTime),
    Column("published_time", UtcDateTime),
    Column("attempt", Integer, nullable=False),
    # The event as published, so that it can be published again.
    Column("event_type", String, nullable=False),
    Column("event_data", LargeBinary),
    Column("etag", String, nullable=False),
    Column("last_modified", String, nullable=False),
    Column("validated_url", String, nullable=False),
    # What the body was, so that a server without validators can repeat itself cheaply.
    Column("content_key", String, nullable=False),
    Column("pipeline_version", String, nullable=False),
    Column("links_digest", String),
    Column("links_size", Integer, nullable=False),
    Column("outcome", String, nullable=False),
    Column("reason", String, nullable=False),
    Index("fetch_by_state", "state", "published_time"),
    Index("fetch_by_page", "page_id"),
)

# What a sitemap or feed says about when a page changed: the newest statement of each kind.
signal = Table(
    "signal",
    metadata,
    Column("page_id", String, primary_key=True),
    Column("kind", String, primary_key=True),
    # What was stated, and when we first saw it stated.
    Column("value_time", UtcDateTime, nullable=False),
    Column("seen_time", UtcDateTime, nullable=False),
)

# How many pages of one shape of URL the links of a running job have led to.
job_template = Table(
    "job_template",
    metadata,
    Column("job_id", String, primary_key=True),
    Column("template", String, primary_key=True),
    Column("admitted_count", Integer, nullable=False),
)

# Purges, and how far each has got among the pages.
purge = Table(
    "purge",
    metadata,
    Column("purge_id", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    # A serialised PurgePages.
    Column("command", LargeBinary, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("after_page", String, nullable=False),
    Column("batch", Integer, nullable=False),
    Column("page_count", Integer, nullable=False),
    Column("fetch_count", Integer, nullable=False),
    Column("accepted_time", UtcDateTime, nullable=False),
    Column("done_time", UtcDateTime),
)

# What tells an origin who asks for the pages of a scope, sealed; one a scope and origin.
credential = Table(
    "credential",
    metadata,
    Column("access_context", String, primary_key=True),
    Column("organisation_id", String, nullable=False),
    Column("scope_id", String, nullable=False),
    Column("origin", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("put_by", String, nullable=False),
    Column("put_time", UtcDateTime, nullable=False),
    Column("expire_time", UtcDateTime),
    UniqueConstraint("organisation_id", "scope_id", "origin"),
)

# Versions of the extraction pipeline by first sight; only the newest one's pages are confirmed.
pipeline = Table(
    "pipeline",
    metadata,
    Column("version", String, primary_key=True),
    Column("seen_time", UtcDateTime, nullable=False),
)

outbox = outbox_table(metadata)
inbox = inbox_table(metadata)
