"""Metrics of the indexer."""

from scops.common.messages.index import VersionIndexed
from scops.common.metrics import counter, gauge
from scops.indexer.ports import Answer

ANSWERED = counter(
    "scops_indexer_verdicts_total",
    unit="verdicts",
    labels=("outcome",),
    meaning="Verdicts answered: added, refreshed, superseded, closed or failed.",
)
EMBEDDED = counter(
    "scops_indexer_embedded_total",
    unit="texts",
    meaning="Chunk texts embedded because no vector was cached.",
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


def count_answer(answer: Answer) -> None:
    """Counts an answer that is about to be published."""
    outcome = answer.outcome.value if isinstance(answer, VersionIndexed) else "failed"
    ANSWERED.labels(outcome=outcome).inc()


def note_sizes(live: int, history: int) -> None:
    """Shows how many objects the store holds."""
    LIVE_OBJECTS.set(live)
    HISTORY_OBJECTS.set(history)
