"""An OpenTelemetry collector that takes traces by OTLP over HTTP and keeps the spans."""

import gzip
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

PROTOBUF = "application/x-protobuf"
PATH = "/v1/traces"


@dataclass(frozen=True, slots=True)
class Received:
    """A span as it came over the wire.

    Attributes:
        service: `service.name` of the process that sent it.
        parent_id: empty where the span began its trace.
    """

    service: str
    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str
    failed: bool
    attributes: dict[str, str]


@dataclass
class Collector:
    """What came in, in the order of arrival."""

    url: str = ""
    spans: list[Received] = field(default_factory=list)

    def trace(self, trace_id: str) -> dict[str, Received]:
        """Returns the spans of a trace, by span id."""
        return {span.span_id: span for span in list(self.spans) if span.trace_id == trace_id}

    def take(self, body: bytes) -> None:
        """Decodes an export request; raises on bytes that are none."""
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = _texts(resource.resource.attributes)["service.name"]
            for scope in resource.scope_spans:
                self.spans.extend(_received(service, span) for span in scope.spans)


@contextmanager
def collecting() -> Iterator[Collector]:
    """Runs a collector on a free port of the loopback."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            accepted = (self.path, self.headers["Content-Type"]) == (PATH, PROTOBUF)
            if accepted:
                collector.take(body)
            self.send_response(200 if accepted else 400)
            self.send_header("Content-Type", PROTOBUF)
            self.end_headers()
            self.wfile.write(ExportTraceServiceResponse().SerializeToString())

        def log_message(self, format: str, *args: object) -> None:
            return None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _received(service: str, span: Span) -> Received:
    return Received(
        service=service,
        name=span.name,
        kind=Span.SpanKind.Name(span.kind),
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        failed=span.status.code == Status.STATUS_CODE_ERROR,
        attributes=_texts(span.attributes),
    )


def _texts(attributes: Iterable[KeyValue]) -> dict[str, str]:
    return {pair.key: pair.value.string_value for pair in attributes}
