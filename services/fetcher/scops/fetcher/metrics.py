"""Metrics of the fetcher."""

from scops.common.metrics import counter

FETCHES = counter(
    "scops_fetcher_fetches_total",
    unit="fetches",
    labels=("lane", "result"),
    meaning="Fetches by what came: fetched, unmodified, gone, redirected, failed, blocked.",
)
LOST = counter(
    "scops_fetcher_lost_total",
    unit="fetches",
    meaning="Fetches without an outcome that were published again or given up.",
)
