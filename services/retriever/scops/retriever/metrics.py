"""Metrics of the retriever."""

from scops.common.metrics import counter, histogram

HITS = counter(
    "scops_retriever_hits_total",
    unit="passages",
    labels=("outcome",),
    meaning=(
        "Hits of the store: admitted, unlisted (the version that counts does not hold them), "
        "foreign (let in by the filter, not by a rule) or unreadable (no manifest)."
    ),
)
SEARCHES = histogram(
    "scops_retriever_searches",
    unit="searches",
    meaning="Searches of the store for one question; more than one when hits were dropped.",
    buckets=(1, 2, 3, 4, 6, 8),
)
EMPTY = counter(
    "scops_retriever_empty_total",
    unit="questions",
    meaning="Questions for which no passage was returned.",
)
