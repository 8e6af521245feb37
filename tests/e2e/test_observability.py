"""A whole system at work, seen from outside: its traces, its log, and a real Prometheus."""

import asyncio
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import pytest

from scops.api.v1alpha1 import (
    job_service_pb2,
    job_service_pb2_grpc,
    search_service_pb2,
    search_service_pb2_grpc,
)
from scops.api.v1alpha1.job_service_pb2 import Job
from scops.common.bus.embedded.nats_child import NatsAddress
from scops.common.bus.nats_bus import open_bus
from scops.common.bus.ports import Outgoing
from scops.common.config.settings import CommonSettings
from scops.common.contract.ids import EventId, JobId
from scops.common.contract.messages.crawl import CrawlScope
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane
from tests.e2e.system import CALL_SECONDS, System
from tests.fakes.servers.collector import Collector, Received, collecting
from tests.fakes.servers.nats import NatsServer, nats_server
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.prometheus import Prometheus, scraping

ROOT = Path(__file__).resolve().parents[2]
BOARDS = ROOT / "deploy" / "grafana" / "boards"
# The boards of a role select processes by role; this one process has all of them.
ACROSS = ("overview", "service-levels", "freshness", "retrieval", "cost")
RULES = [ROOT / "deploy" / "prometheus" / name for name in ("alerts.yml", "service_levels.yml")]
TRACE = "0af7651916cd43dd8448eb211c80319c"
CALLER = "b7ad6b7169203331"
REQUEST = "request-of-the-test"
PAGES = {
    "/": "Herons",
    "/owls.html": "The scops owl weighs ninety grams and calls every three seconds.",
    "/herons.html": "The grey heron stands still for up to forty minutes before it strikes.",
}
# By what else a scope has: an archive's wish, a body that is none, dates, and words said twice.
COUNTED = "Wardens counted {} herons at the weir in {}. They ring the young ones there each May."
EXTRAS = {
    "/extras/": "Counts",
    "/extras/weir.html": " ".join(COUNTED.format(40 + year, 2015 + year) for year in range(6)),
    "/extras/twin.html": " ".join(COUNTED.format(40 + year, 2015 + year) for year in range(6)),
}
UNREADABLE = "/extras/torn.pdf"
SITEMAP = "/extras/sitemap.xml"
# What has no series in a system that is well, and why; everything else has.
AT_REST = {
    "scops_loop_restarts_total": "no loop fails",
    "scops_child_replaced_total": "no child process dies or is ended",
    "scops_store_refusals_total": "no store refuses",
    "scops_extractor_failures_total": "no page brings its parser to fall, or takes its seconds",
    "scops_fetcher_trapped_links_total": "no links without end",
    "scops_fetcher_rendered_pages_total": "no page is an app",
    "scops_fetcher_page_parts_total": "no page is an app",
    "scops_fetcher_hub_deliveries_total": "no feed names a hub",
    "scops_fetcher_site_searches_total": "nobody researches anything",
    "scops_fetcher_paper_searches_total": "nobody looks for papers",
    "scops_gateway_calls_refused_total": "nobody exceeds a budget; who is local has none",
    "scops_gateway_deliveries_total": "nobody watches anything",
    "scops_gateway_researches_total": "nobody researches anything",
    "scops_gateway_slots": "who is local waits for no slot",
    "scops_explainer_model_answers_total": "no model is configured",
    "scops_explainer_model_dropped_total": "no model is configured",
    "scops_explainer_model_tokens_total": "no model is configured",
}
SETTLE_SECONDS = 60.0
# Lines tell seconds with four digits.
ROUNDED_SECONDS = 0.0001


@dataclass
class Observed:
    """A system that has crawled, answered, and been given messages that it cannot handle."""

    system: System
    collector: Collector
    prometheus: Prometheus
    job: Job

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The log so far."""
        texts = self.system.log.read_text().splitlines()
        return [json.loads(text) for text in texts if text.startswith("{")]


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Observed]:
    folder = tmp_path_factory.mktemp("observed")
    with (
        running(Origin()) as origin,
        collecting() as collector,
        nats_server(folder / "nats") as bus,
    ):
        _fill(origin)
        system = System(
            folder / "system",
            **bus.settings,
            SCOPS_OTLP_ENDPOINT=collector.url,
            SCOPS_LOG_LEVEL="debug",
            SCOPS_BUS_DELIVERIES_MAX="2",
        )
        target = system.health_url.removeprefix("http://")
        with system, scraping(folder / "prometheus", [(target, "")], rules=RULES) as prometheus:
            job = _work(system, origin)
            asyncio.run(_disturb(bus))
            observed = Observed(system, collector, prometheus, job)
            _settle(observed)
            yield observed


def _fill(origin: Origin) -> None:
    links = "".join(f'<p>See <a href="{path}">this page</a>.</p>' for path in PAGES)
    for path, sentence in PAGES.items():
        text = f"<h1>Birds</h1><p>{sentence}</p>{links if path == '/' else ''}"
        origin.replace(path, f"<html><title>Birds</title><body><main>{text}</main></body></html>")
    for path, sentence in EXTRAS.items():
        told = f"<h1>Herons at the weir</h1><p>{sentence}</p>"
        head = '<title>Weir</title><meta name="robots" content="noarchive">'
        origin.replace(path, f"<html><head>{head}</head><body><main>{told}</main></body></html>")
    origin.replace(UNREADABLE, b"%PDF-1.7 and no more", type="application/pdf")
    listed = "".join(f"<url><loc>{origin.url}{path}</loc></url>" for path in (*EXTRAS, UNREADABLE))
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    sitemap = f'<?xml version="1.0"?><urlset xmlns="{namespace}">{listed}</urlset>'
    origin.replace(SITEMAP, sitemap, type="application/xml")


def _work(system: System, origin: Origin) -> Job:
    """Crawls with a trace and a request id of the caller's, asks, and makes a mistake."""
    system.create_scope("birds", seeds=[f"{origin.url}/"])
    stub = job_service_pb2_grpc.JobServiceStub(system.channel)
    metadata = (("traceparent", f"00-{TRACE}-{CALLER}-01"), ("x-request-id", REQUEST))
    request = job_service_pb2.CreateJobRequest(job=Job(scope="scopes/birds"))
    accepted = stub.CreateJob(request, timeout=CALL_SECONDS, metadata=metadata)
    job = system.wait_job(accepted.job.name)
    system.crawl("birds")
    assert system.ask("How much does the scops owl weigh?", "birds", explain=True).answered
    system.search("heron", "birds")
    _work_on_extras(system, origin)
    with pytest.raises(grpc.RpcError):
        system.job("jobs/unknown")
    return job


def _work_on_extras(system: System, origin: Origin) -> None:
    """Crawls by a sitemap what is not plain, asks for a time, and has citations resolved."""
    system.create_scope(
        "extras", seeds=[f"{origin.url}/extras/"], sitemaps=[f"{origin.url}{SITEMAP}"]
    )
    system.crawl("extras")
    answer = system.ask("How many herons did wardens count at the weir in 2018?", "extras")
    assert answer.citations
    stub = search_service_pb2_grpc.SearchServiceStub(system.channel)
    request = search_service_pb2.ResolveCitationsRequest(citations=answer.citations)
    assert stub.ResolveCitations(request, timeout=CALL_SECONDS).citations


async def _disturb(server: NatsServer) -> None:
    """Publishes a command for a scope that nobody has: retried, then given up."""
    common = CommonSettings()
    bus = await open_bus(NatsAddress(url=server.url, monitor_url=server.monitor_url), common)
    command = CrawlScope(
        job_id=JobId("01a200c8-0000-7000-8000-000000000000"),
        scope=ScopeRef(scope_id="nobody", revision=7),
        accepted_time=datetime.now(UTC),
    )
    await bus.publisher.publish(
        Outgoing(message=command, event_id=EventId("e-1"), organisation_id="main", lane=Lane.BULK)
    )
    await bus.close()


def _settle(observed: Observed) -> None:
    """Waits until spans, scrapes and the dead letter have arrived."""
    ending = ("process version_indexed", "publish dead_letter", "search")

    def arrived() -> bool:
        names = {span.name for span in list(observed.collector.spans)}
        return set(ending) <= names and bool(
            observed.prometheus.query("scops_bus_dead_letters_total > 0")
        )

    observed.system.until(arrived, seconds=SETTLE_SECONDS)
    # Two scrapes more, for rates.
    time.sleep(3)


def _way_back(trace: dict[str, Received], name: str) -> list[str]:
    """Returns the names from the last span of a name to the beginning of its trace."""
    found = [span for span in trace.values() if span.name == name][-1]
    names = [found.name]
    while found.parent_id in trace:
        found = trace[found.parent_id]
        names.append(found.name)
    assert found.parent_id == CALLER
    return names


def test_one_trace_leads_from_the_call_to_the_index(observed: Observed) -> None:
    """Command, fetch, extraction, verdict and head: each the child of what caused it."""
    trace = observed.collector.trace(TRACE)

    assert [
        "process version_indexed",
        "publish version_indexed",
        "process version_added",
        "publish version_added",
        "process page_extracted",
        "publish page_extracted",
        "process page_fetched",
        "publish page_fetched",
        "fetch page",
        "process crawl_scope",
        "publish crawl_scope",
        "scops.api.v1alpha1.JobService/CreateJob",
    ] == _way_back(trace, "process version_indexed")
    assert len(PAGES) == sum(span.name == "fetch page" for span in trace.values())
    # The command may come before its scope, and is then tried again.
    assert {span.name for span in trace.values() if span.failed} <= {"process crawl_scope"}


def test_an_answer_is_one_trace(observed: Observed) -> None:
    """The call, the questions it asks of others, and their stages."""
    # Whose explanation was asked for.
    answer, *_ = [
        span for span in observed.collector.spans if span.name.endswith("SearchService/Answer")
    ]
    trace = observed.collector.trace(answer.trace_id)
    parents = {
        span.name: trace[span.parent_id].name for span in trace.values() if span.parent_id in trace
    }

    assert {
        "ask explainer.answer": "scops.api.v1alpha1.SearchService/Answer",
        "answer explainer.answer": "ask explainer.answer",
        "retrieve": "answer explainer.answer",
        "ask retriever.retrieve": "retrieve",
        "answer retriever.retrieve": "ask retriever.retrieve",
        "search": "answer retriever.retrieve",
        "quote": "answer explainer.answer",
    }.items() <= parents.items()


def test_every_line_of_a_jobs_work_carries_its_ids(observed: Observed) -> None:
    """From the command to the index: request, job, event, consumer, and where it is one, page."""
    job_id = observed.job.name.removeprefix("jobs/")
    handled = [
        line
        for line in observed.lines
        if line["event"] == "message_handled" and line.get("job_id") == job_id
    ]
    consumers = {line["consumer"].removesuffix("-bulk") for line in handled}

    assert {
        "fetcher-crawl_scope",
        "extractor-page_fetched",
        "change-detector-page_extracted",
        "fetcher-page_extracted",
        "indexer-version_added",
        "fetcher-version_indexed",
    } <= consumers
    for line in handled:
        assert REQUEST == line["request_id"], line
        assert line["event_id"], line
        if not line["consumer"].startswith(("fetcher-crawl_scope", "gateway-")):
            assert line["page_id"], line
            assert line["fetch_id"], line


def test_a_message_that_was_given_up_is_told_with_its_ids(observed: Observed) -> None:
    """Whoever reads the error finds the message."""
    (line,) = [each for each in observed.lines if each["event"] == "message_dead"]

    assert ("error", "e-1", "fetcher-crawl_scope-bulk") == (
        line["level"],
        line["event_id"],
        line["consumer"],
    )
    assert "01a200c8-0000-7000-8000-000000000000" == line["job_id"]


def test_the_log_is_lines_of_json_with_the_time_and_level(observed: Observed) -> None:
    """All of it, the libraries' lines included."""
    texts = observed.system.log.read_text().splitlines()
    # The command's own word to whoever started it.
    others = [text for text in texts if not text.startswith("{")]

    assert all("ready" in text for text in others), others
    assert all(
        {"event", "level", "timestamp", "component"} <= line.keys() for line in observed.lines
    )


def _expressions() -> list[str]:
    boards = [json.loads((BOARDS / f"{name}.json").read_text()) for name in ACROSS]
    panels = [panel for board in boards for panel in board["panels"]]
    expressions = [target["expr"] for panel in panels for target in panel.get("targets", ())]
    return list(dict.fromkeys(expressions))


@pytest.mark.parametrize("expression", _expressions())
def test_every_panel_has_series(observed: Observed, expression: str) -> None:
    """A panel that stays empty while things happen shows nothing when they do not."""
    series = observed.prometheus.query(expression.replace("$__rate_interval", "30s"))
    resting = any(name in expression for name in AT_REST)

    assert series or resting


def _leading() -> list[str]:
    """Returns the expressions of which a board shows exemplars."""
    boards = [json.loads((BOARDS / f"{name}.json").read_text()) for name in ACROSS]
    targets = [one for board in boards for panel in board["panels"] for one in _targets(panel)]
    return list(dict.fromkeys(one["expr"] for one in targets if one["exemplar"]))


def _targets(panel: dict[str, Any]) -> list[dict[str, Any]]:
    return list(panel.get("targets", ()))


@pytest.mark.parametrize("expression", _leading())
def test_what_a_board_measures_leads_to_traces(observed: Observed, expression: str) -> None:
    """A real Prometheus holds exemplars of it, and the collector has each of their traces."""
    found = observed.prometheus.exemplars(expression.replace("$__rate_interval", "30s"))

    assert found
    assert {span.trace_id for span in observed.collector.spans} >= {
        each["labels"]["trace_id"] for each in found
    }


def test_a_slow_search_is_found_in_log_and_traces_by_its_exemplar(observed: Observed) -> None:
    """From the slowest bucket to the line of the call, and to the stages of its trace."""
    slowest = max(
        observed.prometheus.exemplars(
            'scops_gateway_call_seconds_bucket{method=~".*SearchService/Search"}'
        ),
        key=lambda each: float(each["value"]),
    )
    trace_id = slowest["labels"]["trace_id"]
    (line,) = [
        one
        for one in observed.lines
        if one["event"] == "call_answered" and one.get("trace_id") == trace_id
    ]

    assert line["method"].endswith("SearchService/Search")
    assert abs(float(slowest["value"]) - line["seconds"]) < ROUNDED_SECONDS
    assert "search" in {one.name for one in observed.collector.trace(trace_id).values()}


def test_every_documented_metric_is_scraped(observed: Observed) -> None:
    """The reference page promises nothing that is not there."""
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    documented = dict(re.findall(r"^\| `(scops_\w+)` \| (\w+) \|", page, re.MULTILINE))
    scraped = observed.prometheus.names()
    missing = [
        name
        for name, kind in documented.items()
        if (f"{name}_bucket" if kind == "histogram" else name) not in scraped
    ]

    assert set(missing) <= set(AT_REST)


def test_labels_name_no_page_and_no_address(observed: Observed) -> None:
    """Series are bounded by what the system is made of, not by what it crawls."""
    for series in observed.prometheus.query('{__name__=~"scops_.+"}'):
        for name, text in series["metric"].items():
            assert "127.0.0.1" not in text or name in ("instance",), series
            assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", text), series


def test_alerts_rest_but_for_what_happened(observed: Observed) -> None:
    """One process is no cluster, and one message was given up; nothing else is wrong."""
    firing = {
        series["metric"]["alertname"]
        for series in observed.prometheus.query('ALERTS{alertstate="firing"}')
    }

    assert firing <= {"ScopsDeadLetters"}
    assert "ScopsDeadLetters" in firing
