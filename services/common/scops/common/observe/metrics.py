"""Metrics: each declared once with type, unit, labels and meaning, served by prometheus-client.

Label values are bounded: an event, a lane, an outcome, a role; never a URL or an id.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase

Kind = Literal["counter", "gauge", "histogram"]
M = TypeVar("M", bound=MetricWrapperBase)
SECONDS_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A metric as the reference page shows it."""

    name: str
    kind: Kind
    unit: str
    labels: tuple[str, ...]
    meaning: str


_declared: dict[str, tuple[Declaration, MetricWrapperBase]] = {}


def counter(name: str, *, unit: str, labels: Sequence[str] = (), meaning: str) -> Counter:
    """Declares a counter; `name` ends in `_total`."""
    declaration = _declaration(name, "counter", unit, labels, meaning)
    return _declare(declaration, lambda: Counter(name, meaning, tuple(labels)))


def gauge(name: str, *, unit: str, labels: Sequence[str] = (), meaning: str) -> Gauge:
    """Declares a gauge."""
    declaration = _declaration(name, "gauge", unit, labels, meaning)
    return _declare(declaration, lambda: Gauge(name, meaning, tuple(labels)))


def histogram(
    name: str,
    *,
    unit: str,
    labels: Sequence[str] = (),
    meaning: str,
    buckets: Sequence[float] = SECONDS_BUCKETS,
) -> Histogram:
    """Declares a histogram; the default buckets suit seconds."""
    declaration = _declaration(name, "histogram", unit, labels, meaning)
    return _declare(
        declaration,
        lambda: Histogram(name, meaning, tuple(labels), buckets=tuple(buckets)),
    )


def declarations() -> tuple[Declaration, ...]:
    """Returns every metric declared by the modules imported so far, by name."""
    return tuple(declaration for _, (declaration, _metric) in sorted(_declared.items()))


def _declaration(
    name: str, kind: Kind, unit: str, labels: Sequence[str], meaning: str
) -> Declaration:
    return Declaration(name=name, kind=kind, unit=unit, labels=tuple(labels), meaning=meaning)


def _declare(declaration: Declaration, create: Callable[[], M]) -> M:
    known = _declared.get(declaration.name)
    if known is None:
        known = (declaration, create())
        _declared[declaration.name] = known
    elif known[0] != declaration:
        raise ValueError(f"metric {declaration.name} is declared twice, and differently")
    return cast(M, known[1])


CONSUMED = counter(
    "scops_bus_consumed_total",
    unit="messages",
    labels=("consumer", "event", "lane", "outcome"),
    meaning="Deliveries handled, by outcome: acked, retried or dead.",
)
REDELIVERED = counter(
    "scops_bus_redelivered_total",
    unit="messages",
    labels=("consumer", "event", "lane"),
    meaning="Deliveries that were not the first of their message.",
)
DEAD_LETTERS = counter(
    "scops_bus_dead_letters_total",
    unit="messages",
    labels=("consumer", "event", "lane", "reason"),
    meaning="Messages given up and kept in the dead letters, by the error's reason.",
)
CONSUMER_PAUSED = gauge(
    "scops_bus_consumer_paused",
    unit="boolean",
    labels=("consumer", "event", "lane"),
    meaning="1 while a durable pulls nothing because a store refused what it handles.",
)
STORE_REFUSALS = counter(
    "scops_store_refusals_total",
    unit="refusals",
    labels=("reason", "fault"),
    meaning=(
        "What stores did not do, by the error's reason, and by what is wrong with them: away, "
        "full, read_only or refused."
    ),
)
DATABASE_BYTES = gauge(
    "scops_database_bytes",
    unit="bytes",
    labels=("database",),
    meaning="Size of a service's tables with their indexes: of its file, or of its schema.",
)
HANDLING_SECONDS = histogram(
    "scops_bus_handling_seconds",
    unit="seconds",
    labels=("consumer", "event", "lane"),
    meaning="Time from the delivery of a message to its acknowledgement.",
)
PUBLISHED = counter(
    "scops_bus_published_total",
    unit="messages",
    labels=("event", "lane", "outcome"),
    meaning="Messages published, by outcome: stored, duplicate or failed.",
)
PUBLICATIONS = counter(
    "scops_bus_publish_confirmed_total",
    unit="publications",
    labels=("event", "lane"),
    meaning="What the bus confirmed; several messages in one frame are one publication.",
)
PUBLISH_SECONDS = histogram(
    "scops_bus_publish_seconds",
    unit="seconds",
    labels=("event", "lane"),
    meaning="Time from the publication of a message to its PubAck, retries included.",
)
ACCESS_REFUSED = counter(
    "scops_access_refused_scopes_total",
    unit="scopes",
    meaning="Scopes of questions that whom they were asked for may not read; expected 0, alarm.",
)
ANSWERED = counter(
    "scops_query_answered_total",
    unit="questions",
    labels=("method", "outcome"),
    meaning="Questions answered by this process, by outcome: ok or the error's class.",
)
ANSWER_SECONDS = histogram(
    "scops_query_answer_seconds",
    unit="seconds",
    labels=("method",),
    meaning="Time from the arrival of a question to its answer.",
)
LOOP_RESTARTS = counter(
    "scops_loop_restarts_total",
    unit="restarts",
    labels=("role", "loop"),
    meaning="Background loops started again after an error.",
)
READY = gauge(
    "scops_ready",
    unit="boolean",
    meaning="1 while every readiness check of this process passes.",
)
CHECK_PASSING = gauge(
    "scops_check_passing",
    unit="boolean",
    labels=("check",),
    meaning="1 while this readiness check passes; `bus-durability` says that NATS syncs always.",
)
CLOCK_SKEW_SECONDS = gauge(
    "scops_clock_skew_seconds",
    unit="seconds",
    meaning="This machine's clock ahead of the database's; without a server, ahead of its own "
    "time as it ran so far.",
)
CLOCK_JUMPS = counter(
    "scops_clock_jumps_total",
    unit="jumps",
    meaning="Times that the clock which leases go by was set while the process ran.",
)
PENDING = gauge(
    "scops_bus_pending",
    unit="messages",
    labels=("consumer", "event", "lane"),
    meaning="Messages not yet delivered to a durable; seen by every role that reads its stream.",
)
ACK_PENDING = gauge(
    "scops_bus_ack_pending",
    unit="messages",
    labels=("consumer", "event", "lane"),
    meaning="Messages delivered and not yet acknowledged.",
)
OLDEST_UNACKED_SECONDS = gauge(
    "scops_bus_oldest_unacked_seconds",
    unit="seconds",
    labels=("consumer", "event", "lane"),
    meaning="Age of the oldest message that a durable has not acknowledged; 0 where none waits.",
)
STREAM_BYTES = gauge(
    "scops_bus_stream_bytes",
    unit="bytes",
    labels=("stream",),
    meaning="Size of a stream that this process reads from.",
)
STREAM_BYTES_MAX = gauge(
    "scops_bus_stream_bytes_max",
    unit="bytes",
    labels=("stream",),
    meaning="Size at which that stream refuses or drops messages.",
)
OUTBOX_ROWS = gauge(
    "scops_outbox_rows",
    unit="events",
    labels=("database",),
    meaning="Events in a service's outbox that wait to be published.",
)
OUTBOX_SET_ASIDE_ROWS = gauge(
    "scops_outbox_set_aside_rows",
    unit="events",
    labels=("database",),
    meaning="Events in that outbox that can never be published; kept for 30 days.",
)
OUTBOX_AGE_SECONDS = gauge(
    "scops_outbox_age_seconds",
    unit="seconds",
    labels=("database",),
    meaning="Age of the oldest event in that outbox when it was last looked at.",
)
