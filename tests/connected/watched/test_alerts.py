"""Every alert fires and resolves in a real Prometheus that scrapes our own metrics.

The shipped rules run with their times shortened and their thresholds as they are. A process shows
metrics by their declarations: first things are well, then all is wrong at once, then well again.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml

from scops.common.contract.roles import Role
from tests.fakes.servers.exporter import Course, Exporter, exporting
from tests.fakes.servers.machine import free_port
from tests.fakes.servers.prometheus import DOCS, Prometheus, scraping
from tests.fakes.short_rules import shortened

PROMETHEUS = Path(__file__).resolve().parents[3] / "deploy" / "prometheus"
# Of shortened rules: the longest range, and the shortest, which holds some scrapes.
LONGEST_SECONDS, SHORTEST_SECONDS = 20.0, 5.0
# The longest range of service levels is a budget of 30 days, the longest of an alert 3.
LEVELS_LONGEST_SECONDS = 200.0
WAIT_SECONDS = 150.0
SCRAPE_SECONDS = 0.5
CONSUMER = {"consumer": "indexer", "event": "version_added"}
BULK, NOW = CONSUMER | {"lane": "bulk"}, CONSUMER | {"lane": "now"}
STREAM = {"stream": "SCOPS_FETCHER"}
SEARCH = {"method": "/scops.api.v1alpha1.SearchService/Search"}


def gauges(*, wrong: bool) -> list[Course]:
    """Returns where gauges stand, beyond or within what alerts allow."""
    stands = {
        "scops_ready": ({}, 1, 0),
        "scops_check_passing": ({"check": "bus-durability"}, 1, 0),
        "scops_bus_pending": (BULK, 0, 9),
        "scops_bus_ack_pending": (BULK, 0, 2048),
        "scops_bus_stream_bytes": (STREAM, 10, 90),
        "scops_bus_stream_bytes_max": (STREAM, 100, 100),
        "scops_outbox_age_seconds": ({"database": "fetcher"}, 0, 121),
        "scops_outbox_set_aside_rows": ({"database": "fetcher"}, 0, 1),
        "scops_fetcher_oldest_open_job_seconds": ({}, 60, 3 * 86400 + 1),
        "scops_clock_skew_seconds": ({}, 0.01, -75),
        "scops_bus_consumer_paused": (BULK, 0, 1),
        "scops_database_bytes": ({"database": "fetcher"}, 1.2e9, 2.4e9),
    }
    waits = [
        Course("scops_bus_oldest_unacked_seconds", NOW, 61 if wrong else 0),
        Course("scops_bus_oldest_unacked_seconds", BULK, 1801 if wrong else 60),
    ]
    return waits + [
        Course(name, dict(labels), bad if wrong else well)
        for name, (labels, well, bad) in stands.items()
    ]


def traffic() -> list[Course]:
    """Returns what always goes on, and goes well."""
    return [
        Course("scops_gateway_calls_total", SEARCH | {"code": "OK"}, per_second=20),
        Course("scops_gateway_call_seconds", SEARCH, 0.1, per_second=8),
        Course("scops_indexer_freshness_seconds", {}, 1, per_second=8),
        Course("scops_gateway_job_seconds", {"state": "completed"}, 60, per_second=8),
        Course("scops_fetcher_fetches_total", {"lane": "bulk", "result": "fetched"}, per_second=5),
        Course("scops_retriever_canary_expected_total", per_second=60),
    ]


def troubles() -> list[Course]:
    """Returns what goes wrong as it goes on."""
    refused = {"reason": "INDEX_UNAVAILABLE", "fault": "read_only"}
    return [
        Course("scops_gateway_calls_total", SEARCH | {"code": "UNAVAILABLE"}, per_second=60),
        Course("scops_gateway_call_seconds", SEARCH, 2, per_second=80),
        Course("scops_indexer_freshness_seconds", {}, 4000, per_second=40),
        Course("scops_gateway_job_seconds", {"state": "failed"}, 60, per_second=40),
        Course("scops_fetcher_fetches_total", {"lane": "bulk", "result": "failed"}, per_second=50),
        Course("scops_bus_redelivered_total", BULK, per_second=5),
        Course("scops_bus_dead_letters_total", BULK | {"reason": "BLOB_MISSING"}, per_second=1),
        Course(
            "scops_bus_published_total",
            {"event": "page_fetched", "lane": "bulk", "outcome": "failed"},
            per_second=1,
        ),
        Course("scops_loop_restarts_total", {"role": "fetcher", "loop": "outbox"}, per_second=2),
        Course("scops_gateway_acl_postcheck_drops_total", per_second=1),
        Course("scops_gateway_calls_refused_total", {"reason": "overload"}, per_second=8),
        Course("scops_clock_jumps_total", per_second=1),
        Course("scops_store_refusals_total", refused, per_second=4),
    ]


def is_well() -> list[Course]:
    found = Course("scops_retriever_canary_found_total", per_second=60)
    return [*gauges(wrong=False), *traffic(), found]


def is_wrong() -> list[Course]:
    found = Course("scops_retriever_canary_found_total", per_second=30)
    return [*gauges(wrong=True), *traffic(), found, *troubles()]


@pytest.fixture
def rules(tmp_path: Path) -> list[Path]:
    alerts, levels = "alerts.yml", "service_levels.yml"
    short = {"shortest": SHORTEST_SECONDS}
    return [
        shortened(PROMETHEUS / alerts, tmp_path / alerts, longest=LONGEST_SECONDS, **short),
        shortened(
            PROMETHEUS / levels,
            tmp_path / levels,
            longest=LEVELS_LONGEST_SECONDS,
            together=True,
            **short,
        ),
    ]


@pytest.fixture
def exporter() -> Iterator[Exporter]:
    with exporting() as exporter:
        yield exporter


def firing(prometheus: Prometheus) -> set[tuple[str, str]]:
    """Returns the alerts that fire, with their severity."""
    series = prometheus.query('ALERTS{alertstate="firing"}')
    return {(one["metric"]["alertname"], one["metric"]["severity"]) for one in series}


def until(condition: Callable[[], bool], told: Callable[[], object]) -> None:
    """Waits until something holds."""
    limit = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < limit, told()
        time.sleep(SCRAPE_SECONDS)


@pytest.mark.timeout(600)
def test_every_alert_fires_and_resolves(
    rules: list[Path], exporter: Exporter, tmp_path: Path
) -> None:
    """One role is away meanwhile; each alert leads to its page."""
    alerts = {
        (rule["alert"], rule["labels"]["severity"])
        for file in rules
        for group in yaml.safe_load(file.read_text())["groups"]
        for rule in group["rules"]
        if "alert" in rule
    }
    port = free_port()
    targets = [
        (f"127.0.0.1:{port}" if role is Role.GATEWAY else exporter.address, role.value)
        for role in Role
    ]
    seen: set[tuple[str, str]] = set()
    exporter.play(is_well())
    with scraping(tmp_path / "server", targets, rules=rules, seconds=SCRAPE_SECONDS) as prometheus:
        with exporting(port) as gateway:
            gateway.play(is_well())
            time.sleep(LONGEST_SECONDS)
            until(lambda: not firing(prometheus), lambda: firing(prometheus))
        exporter.play(is_wrong())

        def all_seen() -> bool:
            seen.update(firing(prometheus))
            return alerts <= seen

        until(all_seen, lambda: alerts - seen)
        addresses = {alert["annotations"]["runbook_url"] for alert in prometheus.alerts()}
        assert f"{DOCS}/runbooks/ScopsRoleMissing.md" in addresses
        exporter.play(is_well())
        with ExitStack() as stack:
            stack.enter_context(exporting(port)).play(is_well())
            until(lambda: not firing(prometheus), lambda: firing(prometheus))

    assert alerts == seen
