"""Metrics of the indexer."""

from datetime import datetime

from scops.common.contract.messages.index import IndexOutcome, VersionIndexed
from scops.common.observe.metrics import counter, gauge, histogram
from scops.indexer.ports import Answer

ANSWERED = counter(
    "scops_indexer_verdicts_total",
    unit="verdicts",
    labels=("outcome",),
    meaning="Verdicts answered: added, refreshed, superseded, closed or failed.",
)
FRESHNESS_SECONDS = histogram(
    "scops_indexer_freshness_seconds",
    unit="seconds",
    meaning="Time from the fetch of a new version to the moment from which questions find it.",
    buckets=(0.5, 1, 5, 15, 60, 300, 900, 3600, 14400, 86400),
)
EMBEDDED = counter(
    "scops_indexer_embedded_total",
    unit="texts",
    meaning="Chunk texts embedded because no vector was cached.",
)
CACHED = counter(
    "scops_indexer_vectors_cached_total",
    unit="texts",
    meaning="Chunk texts whose vector was cached: by another page, or a version before.",
)
CHUNKS = counter(
    "scops_indexer_chunks_total",
    unit="chunks",
    labels=("outcome",),
    meaning="Chunks of versions applied: kept (in the store already) or inserted.",
)
MENTIONED = counter(
    "scops_indexer_mentions_total",
    unit="chunks",
    labels=("outcome",),
    meaning=(
        "Chunks read for what they mention: read (by the configured extractor) or fallback (it "
        "failed, and the rules read them)."
    ),
)
DROPPED = counter(
    "scops_indexer_dropped_chunks_total",
    unit="chunks",
    meaning="Chunks whose last version is not kept any more.",
)
LIVE_OBJECTS = gauge(
    "scops_indexer_live_objects", unit="objects", meaning="Live chunk objects in the store."
)
HISTORY_OBJECTS = gauge(
    "scops_indexer_history_objects",
    unit="objects",
    meaning="Chunk objects of superseded versions in the store.",
)
SWEPT = counter(
    "scops_indexer_swept_total",
    unit="chunks",
    meaning="Chunks moved to the history because no head listed them any more.",
)
DELETED = counter(
    "scops_indexer_deleted_total",
    unit="chunks",
    meaning="Chunks whose live object was deleted after its copy had come to the history.",
)
SWEEP_SECONDS = histogram(
    "scops_indexer_sweep_seconds",
    unit="seconds",
    meaning="Time of one run of the sweeper.",
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300),
)


def count_answer(answer: Answer) -> None:
    """Counts an answer that is about to be published."""
    outcome = answer.outcome.value if isinstance(answer, VersionIndexed) else "failed"
    ANSWERED.labels(outcome=outcome).inc()


def count_verified(heads: int) -> None:
    """Counts heads of which only the verified time moved, and that have no answer of their own."""
    ANSWERED.labels(outcome=IndexOutcome.REFRESHED.value).inc(heads)


def note_freshness(answer: Answer, *, observed: datetime, now: datetime) -> None:
    """Shows how long after its fetch a new version is found."""
    if isinstance(answer, VersionIndexed) and answer.outcome is IndexOutcome.ADDED:
        FRESHNESS_SECONDS.observe(max(0.0, (now - observed).total_seconds()))


def note_sizes(live: int, history: int) -> None:
    """Shows how many objects the store holds."""
    LIVE_OBJECTS.set(live)
    HISTORY_OBJECTS.set(history)
