"""Spans follow messages and questions where traces are on, and cost nothing where they are not."""

import subprocess
import sys
import time
import timeit
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import REGISTRY, Histogram

from scops.common.bus.consume.received import Consumer
from scops.common.bus.consume.retry import RetryPolicy
from scops.common.bus.ports import Cause, Handler, Outgoing
from scops.common.bus.publish.headers import headers_of
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import EventId, FetchId, PageId
from scops.common.contract.messages.crawl import GoneReason, PageGone
from scops.common.contract.service_table import BY_TYPE, Lane, Role
from scops.common.observe.exposition import exposition
from scops.common.observe.tracing import EXPORT_SECONDS, record_spans, span, stage, tracing
from scops.common.observe.trail import NOWHERE, TRACE_PARENT, Trail, current, following
from tests.fakes.bus import FakeDelivery, RecordingPublisher, delivery_of
from tests.fakes.clock import START, ManualClock
from tests.fakes.consuming import consume
from tests.fakes.servers.collector import collecting

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
UNSAMPLED = f"00-{TRACE}-b7ad6b7169203331-00"
# Trace Context Level 2: the id is random, which says nothing of whether it is recorded.
RANDOM, NOT_EVEN = (f"00-{TRACE}-b7ad6b7169203331-{flags}" for flags in ("03", "02"))
GONE = PageGone(
    page_id=PageId("page-1"),
    fetch_id=FetchId("fetch-1"),
    reason=GoneReason.GONE,
    observed_time=START,
)


@pytest.fixture
def exporter() -> Iterator[InMemorySpanExporter]:
    """Records the spans of this process."""
    kept = InMemorySpanExporter()
    stop = record_spans(SimpleSpanProcessor(kept), service="scops-test")
    yield kept
    stop()


async def _silent(message: Any, cause: Cause) -> Sequence[Any]:
    return ()


async def _handle(delivery: FakeDelivery, handler: Handler = _silent) -> None:
    consumer = Consumer(
        role=Role.CHANGE_DETECTOR, contract=BY_TYPE[PageGone], lane=Lane.BULK, handler=handler
    )
    await consume(
        delivery,
        consumer,
        publisher=RecordingPublisher(),
        clock=ManualClock(),
        policy=RetryPolicy(),
    )


def _traced(parent: str) -> FakeDelivery:
    whole = delivery_of(GONE)
    return replace(whole, headers={**whole.headers, TRACE_PARENT: parent})


def _ids(recorded: ReadableSpan) -> tuple[str, str, str]:
    """Returns trace, span and parent of a recorded span."""
    assert recorded.context is not None
    parent = f"{recorded.parent.span_id:016x}" if recorded.parent else ""
    return f"{recorded.context.trace_id:032x}", f"{recorded.context.span_id:016x}", parent


async def test_the_handling_of_a_message_continues_its_trace(
    exporter: InMemorySpanExporter,
) -> None:
    """The consumer's span is a child of the publication's, and parent of what it publishes."""
    seen: list[str] = []

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        outgoing = Outgoing(
            message=GONE, event_id=EventId("e"), organisation_id="main", lane=Lane.BULK
        )
        seen.append(headers_of(outgoing, now=START)[TRACE_PARENT])
        return ()

    await _handle(_traced(PARENT), handle)
    (recorded,) = exporter.get_finished_spans()
    trace_id, span_id, parent_id = _ids(recorded)

    assert (TRACE, "b7ad6b7169203331") == (trace_id, parent_id)
    assert [f"00-{TRACE}-{span_id}-01"] == seen
    assert ("process page_gone", "CONSUMER") == (recorded.name, recorded.kind.name)
    assert recorded.attributes is not None
    assert "acked" == recorded.attributes["scops.outcome"]
    assert recorded.status.is_ok or recorded.status.is_unset


async def test_a_retried_message_is_a_failed_span(exporter: InMemorySpanExporter) -> None:
    """Whoever looks at a trace sees which attempt did not succeed."""

    async def fail(message: Any, cause: Cause) -> Sequence[Any]:
        raise TransientError("Later.")

    await _handle(_traced(PARENT), fail)
    (recorded,) = exporter.get_finished_spans()

    assert not recorded.status.is_ok
    assert "retried" == recorded.status.description


async def test_an_unsampled_trace_is_passed_on_and_not_recorded(
    exporter: InMemorySpanExporter,
) -> None:
    """The caller decided; its ids still travel."""
    seen: list[str] = []

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        seen.append(current().trace_parent)
        return ()

    await _handle(_traced(UNSAMPLED), handle)

    assert () == exporter.get_finished_spans()
    assert [TRACE] == [parent.split("-")[1] for parent in seen]
    assert seen[0].endswith("-00")


async def test_off_the_trace_is_passed_on_as_it_came() -> None:
    """A process without traces is a link between two that have them."""
    seen: list[str] = []

    async def handle(message: Any, cause: Cause) -> Sequence[Any]:
        seen.append(current().trace_parent)
        return ()

    await _handle(_traced(PARENT), handle)

    assert [PARENT] == seen


def test_off_no_span_is_made_and_opentelemetry_is_not_imported() -> None:
    """Whoever does not set the endpoint pays neither memory nor time."""
    code = (
        "import sys, scops.standalone.process.roles\n"
        "from scops.common.config.settings import CommonSettings\n"
        "from scops.common.observe.tracing import span, tracing\n"
        "with tracing(CommonSettings(), service='x'), span('work'):\n"
        "    print([name for name in sys.modules if name.startswith('opentelemetry.sdk')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == done.stdout.strip()


def test_off_a_span_costs_less_than_a_hundredth_of_a_handler() -> None:
    """A handler takes milliseconds; a span that is off takes less than ten microseconds."""

    def work() -> None:
        with span("work", "internal", {"scops.page_id": "page-1"}):
            pass

    assert min(timeit.repeat(work, number=1000, repeat=5)) / 1000 < 10e-6


def test_a_span_remembers_the_exception_that_left_it(exporter: InMemorySpanExporter) -> None:
    """It passes through, unchanged."""
    with pytest.raises(ValueError, match="owls"), span("work"):
        raise ValueError("owls")
    (recorded,) = exporter.get_finished_spans()

    assert not recorded.status.is_ok
    assert ["exception"] == [event.name for event in recorded.events]
    assert NOWHERE == current()


def test_spans_arrive_at_a_collector() -> None:
    """By OTLP over HTTP, with the service's name; what is left is sent at the end."""
    with collecting() as collector:
        common = CommonSettings(otlp_endpoint=f"{collector.url}/")
        with (
            tracing(common, service="scops-extractor"),
            following(Trail(trace_parent=PARENT)),
            span("outer", "server", {"scops.page_id": "page-1"}),
            span("inner"),
        ):
            pass
    inner, outer = collector.spans

    assert ("outer", "SPAN_KIND_SERVER", TRACE) == (outer.name, outer.kind, outer.trace_id)
    assert (outer.span_id, TRACE) == (inner.parent_id, inner.trace_id)
    assert "scops-extractor" == outer.service
    assert {"scops.page_id": "page-1"} == outer.attributes


def test_a_collector_that_is_away_harms_nothing() -> None:
    """Work goes on, and the end waits no longer than for one batch."""
    started = time.monotonic()
    with tracing(CommonSettings(otlp_endpoint="http://127.0.0.1:1"), service="scops"), span("work"):
        pass

    assert time.monotonic() - started < EXPORT_SECONDS + 2


OPEN_METRICS = "application/openmetrics-text; version=1.0.0"
LEADS = "scops_test_leads_seconds"


@pytest.mark.parametrize(
    ("parent", "leads"), [(PARENT, True), (UNSAMPLED, False), (RANDOM, True), (NOT_EVEN, False)]
)
def test_a_measured_stage_leads_to_its_trace(
    exporter: InMemorySpanExporter, parent: str, leads: bool
) -> None:
    """To one that is recorded; OpenMetrics carries it, the older text does not."""
    name = f"{LEADS}_{parent[-2:]}"
    measured = Histogram(name, "Of the test.", ("stage",), registry=REGISTRY)
    with following(Trail(trace_parent=parent)), stage(measured, "embed"):
        pass
    body, content_type = exposition(OPEN_METRICS)
    lines = [line for line in body.decode().splitlines() if f"{name}_bucket" in line]
    older, _ = exposition("text/plain")
    REGISTRY.unregister(measured)

    assert content_type.startswith("application/openmetrics-text")
    assert leads == any(f'# {{trace_id="{TRACE}"}}' in line for line in lines)
    assert TRACE not in older.decode()
