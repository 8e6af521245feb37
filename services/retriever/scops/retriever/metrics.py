"""Metrics of the retriever."""

from scops.common.observe.metrics import counter, histogram

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
STAGE_SECONDS = histogram(
    "scops_retriever_stage_seconds",
    unit="seconds",
    labels=("stage",),
    meaning=(
        "Time of a stage of one question: await, embed, search (begins beside embed and waits for "
        "it), admit (heads, rules), rank or shape (copies, neighbours)."
    ),
)
CANDIDATES = histogram(
    "scops_retriever_candidates",
    unit="passages",
    meaning="Passages of one question that were ranked, after heads and rules.",
    buckets=(0, 1, 5, 10, 20, 50, 100, 200, 500),
)
EMPTY = counter(
    "scops_retriever_empty_total",
    unit="questions",
    meaning="Questions for which no passage was returned.",
)
WINDOWS = counter(
    "scops_retriever_windows_total",
    unit="windows",
    labels=("outcome",),
    meaning="Windows of passages whose vector was needed: kept, or embedded for the question.",
)
LEFT_OUT = counter(
    "scops_retriever_left_out_total",
    unit="chunks",
    labels=("reason",),
    meaning=(
        "Ranked chunks that became no passage of their own: near_duplicate (another says the "
        "same), joined (to a neighbour), page_full (its page has its passages), below (the least "
        "score asked for), unlike (the question, by the preset asked for) or bytes (no room in "
        "the reply)."
    ),
)
EMBEDDED = counter(
    "scops_retriever_embedded_total",
    unit="texts",
    meaning="Texts that were embedded for callers of the API.",
)
CANARY_EXPECTED = counter(
    "scops_retriever_canary_expected_total",
    unit="passages",
    meaning=(
        "Passages that a comparison of every object puts among the nearest, on the share of "
        "questions that are compared."
    ),
)
CANARY_FOUND = counter(
    "scops_retriever_canary_found_total",
    unit="passages",
    meaning="Those of them that the store's filtered vector search had found.",
)
