"""Traces: spans by OpenTelemetry, off unless SCOPS_OTLP_ENDPOINT is set.

Off, a span is one shared object that does nothing, OpenTelemetry is not imported, and what came
in is passed on. On, the parent of a span is the current trail's, and inside it the trail names
the span: so the same trail links processes, and rows that are acted on later.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol

from scops.common.config.settings import CommonSettings
from scops.common.contract.ids import monotonic_seconds
from scops.common.observe.trail import TRACE_PARENT, current, following

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import Span as TelemetrySpan
    from opentelemetry.trace import Tracer
    from prometheus_client import Histogram

SCOPE = "scops"
TRACES_PATH = "/v1/traces"
# One batch, attempts included; a stop waits for the last one.
EXPORT_SECONDS = 3.0
Kind = Literal["internal", "server", "client", "producer", "consumer"]
Value = str | int | float | bool
Attributes = Mapping[str, Value]


class Span(Protocol):
    """A piece of work as a trace shows it."""

    def set(self, name: str, value: Value) -> None:
        """Adds an attribute that is known only at the end."""
        ...

    def fail(self, why: str) -> None:
        """Marks the work as failed where no exception says so."""
        ...


class _NoSpan:
    """What stands for a span while traces are off."""

    def set(self, name: str, value: Value) -> None:
        return None

    def fail(self, why: str) -> None:
        return None


@dataclass(frozen=True, slots=True)
class _RecordedSpan:
    """A span of OpenTelemetry."""

    span: "TelemetrySpan"

    def set(self, name: str, value: Value) -> None:
        self.span.set_attribute(name, value)

    def fail(self, why: str) -> None:
        from opentelemetry.trace import StatusCode

        self.span.set_status(StatusCode.ERROR, why)


_OFF: AbstractContextManager[Span] = nullcontext(_NoSpan())
_tracer: "Tracer | None" = None


def span(
    name: str,
    kind: Kind = "internal",
    attributes: Attributes | Callable[[], Attributes] | None = None,
) -> AbstractContextManager[Span]:
    """Returns a span around some work; an exception that leaves it is recorded.

    Args:
        name: a verb and a bounded noun; ids belong into the attributes.
        attributes: them, or what returns them, which is called only while traces are on.
    """
    if _tracer is None:
        return _OFF
    found = attributes() if callable(attributes) else attributes
    return _recorded(_tracer, name, kind, found or {})


@contextmanager
def stage(seconds: "Histogram", name: str) -> Iterator[None]:
    """Times a stage of some work, in a histogram by the label `stage` and as a span."""
    started, leads_to = monotonic_seconds(), None
    try:
        with span(name):
            leads_to = exemplar()
            yield
    finally:
        seconds.labels(stage=name).observe(monotonic_seconds() - started, leads_to)


def exemplar() -> dict[str, str] | None:
    """Returns what leads from a measurement to the current trace; None where none is recorded.

    A histogram keeps the newest of each bucket, so there are never more than buckets.
    """
    trail = current()
    if _tracer is None or not trail.is_sampled:
        return None
    return {"trace_id": trail.trace_id}


@contextmanager
def tracing(common: CommonSettings, *, service: str) -> Iterator[None]:
    """Exports the spans of a process as the settings say; at the end, sends what is left.

    Args:
        service: the name that a trace viewer shows for this process.
    """
    if not common.otlp_endpoint:
        yield
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    endpoint = common.otlp_endpoint.rstrip("/") + TRACES_PATH
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=EXPORT_SECONDS)
    processor = BatchSpanProcessor(exporter)
    stop = record_spans(processor, service=service, ratio=common.trace_ratio)
    try:
        yield
    finally:
        stop()


def record_spans(
    processor: "SpanProcessor", *, service: str, ratio: float = 1.0
) -> Callable[[], None]:
    """Hands every span of this process to a processor; returns what ends that.

    Args:
        ratio: share of the traces begun here that are recorded; a caller's own choice is kept.
    """
    global _tracer
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

    provider = TracerProvider(
        sampler=ParentBased(TraceIdRatioBased(ratio)),
        resource=Resource.create({"service.name": service, "service.namespace": SCOPE}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(processor)
    _tracer = provider.get_tracer(SCOPE)

    def stop() -> None:
        global _tracer
        _tracer = None
        provider.shutdown()

    return stop


@contextmanager
def _recorded(tracer: "Tracer", name: str, kind: Kind, attributes: Attributes) -> Iterator[Span]:
    from opentelemetry.trace import SpanKind, use_span
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    propagator = TraceContextTextMapPropagator()
    carrier = {TRACE_PARENT: current().trace_parent}
    started = tracer.start_span(
        name,
        context=propagator.extract(carrier),
        kind=SpanKind[kind.upper()],
        attributes=dict(attributes),
    )
    with use_span(started, end_on_exit=True):
        propagator.inject(carrier)
        with following(replace(current(), trace_parent=carrier[TRACE_PARENT])):
            yield _RecordedSpan(started)
