"""Metrics of the fetcher."""

from datetime import datetime

from scops.common.observe.metrics import counter, gauge, histogram
from scops.fetcher.ports.catalogue import Sizes

FETCHES = counter(
    "scops_fetcher_fetches_total",
    unit="fetches",
    labels=("lane", "result"),
    meaning="Fetches by what came: fetched, unmodified, gone, redirected, failed, blocked.",
)
FETCH_SECONDS = histogram(
    "scops_fetcher_fetch_seconds",
    unit="seconds",
    labels=("lane",),
    meaning="Time from the lease of a page to the record of what came, pauses included.",
)
HOST_WAIT_SECONDS = histogram(
    "scops_fetcher_host_wait_seconds",
    unit="seconds",
    labels=("lane",),
    meaning="Time that a page was due before its host, and a worker, were free for it.",
    buckets=(0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14400, 86400),
)
BODY_BYTES = counter(
    "scops_fetcher_body_bytes_total",
    unit="bytes",
    meaning="Decoded bodies put into the archive.",
)
RENDERED = counter(
    "scops_fetcher_rendered_pages_total",
    unit="pages",
    labels=("result",),
    meaning="Pages given to the browser by what came: shown, failed, spent (no more today).",
)
RENDER_SECONDS = histogram(
    "scops_fetcher_render_seconds",
    unit="seconds",
    meaning="Time of a page in the browser, pauses of its host included.",
)
PARTS = counter(
    "scops_fetcher_page_parts_total",
    unit="parts",
    labels=("result",),
    meaning="What pages in the browser asked for: loaded, missing, failed, or left out for being "
    "third_party, malformed, too_large, redirected, refused or forbidden by robots.",
)
ROBOTS = counter(
    "scops_fetcher_robots_total",
    unit="requests",
    labels=("kind",),
    meaning="Requests for robots.txt by what came of it: rules, allow_all or disallow_all.",
)
LISTINGS = counter(
    "scops_fetcher_listings_total",
    unit="listings",
    labels=("outcome",),
    meaning="Sitemaps, feeds and llms.txt by what came of reading them: read, truncated, rejected "
    "(none of these), given_up (too much time or memory).",
)
SITE_SEARCHES = counter(
    "scops_fetcher_site_searches_total",
    unit="searches",
    labels=("outcome",),
    meaning="Questions to the search index of a site by what came of it: searched, gone, blocked "
    "(by robots.txt), failed (not to be had, or not to be read).",
)
PAPER_SEARCHES = counter(
    "scops_fetcher_paper_searches_total",
    unit="searches",
    labels=("outcome",),
    meaning="Questions to scholarly services for papers by what came of them: searched, failed "
    "(one of them did not answer).",
)
TRAPPED_LINKS = counter(
    "scops_fetcher_trapped_links_total",
    unit="links",
    labels=("kind",),
    meaning="Links not followed because many URLs of their shape were: calendar or query.",
)
LOST = counter(
    "scops_fetcher_lost_total",
    unit="fetches",
    meaning="Fetches without an outcome that were published again or given up.",
)
DELIVERIES = counter(
    "scops_fetcher_hub_deliveries_total",
    unit="deliveries",
    labels=("outcome",),
    meaning="What hubs delivered: taken; unsigned, not signed by the subscription's secret; "
    "unknown, of a subscription that is not there or has ended.",
)
AHEAD = counter(
    "scops_fetcher_ahead_hosts_total",
    unit="hosts",
    meaning="Hosts that a clock which was ahead had put off too far, and that were brought back.",
)
RECRAWLED = counter(
    "scops_fetcher_recrawled_pages_total",
    unit="pages",
    meaning="Pages that were due and were taken up without anybody asking.",
)
QUEUED = gauge(
    "scops_fetcher_queued_entries",
    unit="entries",
    labels=("lane", "state"),
    meaning="Pages and sitemaps in the frontier: due, or later; of all replicas together; "
    "100,000 on lane bulk are counted at most.",
)
OPEN_JOBS = gauge(
    "scops_fetcher_open_jobs",
    unit="jobs",
    meaning="Jobs that have not ended, 100,000 at most; of all replicas together.",
)
OLDEST_JOB_SECONDS = gauge(
    "scops_fetcher_oldest_open_job_seconds",
    unit="seconds",
    meaning="Age of the oldest job that has not ended, 0 without one; of all replicas together.",
)
AWAITED = gauge(
    "scops_fetcher_awaited_fetches",
    unit="fetches",
    meaning="Published fetches whose outcome has not come back, 100,000 at most; of all replicas "
    "together.",
)
READY_HOSTS = gauge(
    "scops_fetcher_ready_hosts",
    unit="hosts",
    meaning="Hosts with something due that may be asked now and that no worker asks, 100,000 at "
    "most; of all replicas together.",
)


def note_sizes(sizes: Sizes, *, now: datetime) -> None:
    """Shows how much the state holds, and how long the oldest job has been open."""
    for lane, (due, later) in sizes.queued.items():
        QUEUED.labels(lane.value, "due").set(due)
        QUEUED.labels(lane.value, "later").set(later)
    OPEN_JOBS.set(sizes.open_jobs)
    OLDEST_JOB_SECONDS.set((now - (sizes.oldest_open_time or now)).total_seconds())
    AWAITED.set(sizes.awaited_fetches)
    READY_HOSTS.set(sizes.ready_hosts)
