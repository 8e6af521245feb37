"""Generates deploy/grafana/scops.json: `make docs`; a test compares it with what is committed.

`python tools/dashboard.py [--out FILE]`. A row is a concern, a panel is one question somebody asks
in an incident. Every metric of docs/reference/metrics.md stands in some panel.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "deploy" / "grafana" / "scops.json"
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
PANELS_PER_LINE = 3
WIDTH, HEIGHT = 24 // PANELS_PER_LINE, 8
WINDOW = "$__rate_interval"


@dataclass(frozen=True, slots=True)
class Panel:
    """A graph: PromQL expressions by the legend of their series."""

    title: str
    unit: str
    lines: tuple[tuple[str, str], ...]


def rate(metric: str, by: str, *, where: str = "") -> str:
    """Returns what happens in a second, by labels."""
    return f"sum by ({by}) (rate({metric}{where}[{WINDOW}]))"


def quantile(metric: str, by: str = "", *, share: float = 0.95) -> str:
    """Returns a quantile of a histogram, by labels."""
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, {rate(f'{metric}_bucket', labels)})"


def panel(title: str, unit: str, *lines: tuple[str, str]) -> Panel:
    """Returns a graph; each line is (legend, expression)."""
    return Panel(title, unit, lines)


CONSUMER = "consumer, event, lane"
DURABLE = "{{consumer}} {{event}} {{lane}}"

ROWS: dict[str, tuple[Panel, ...]] = {
    "Is it well": (
        panel(
            "Processes up and ready",
            "none",
            ("up", "sum(up{job='scops'})"),
            ("ready", "sum(scops_ready)"),
        ),
        panel("Failing checks", "none", ("{{check}}", "sum by (check) (1 - scops_check_passing)")),
        panel(
            "Loops started again",
            "ops",
            ("{{role}} {{loop}}", rate("scops_loop_restarts_total", "role, loop")),
        ),
        panel(
            "Oldest unacknowledged message",
            "s",
            (DURABLE, f"max by ({CONSUMER}) (scops_bus_oldest_unacked_seconds)"),
        ),
        panel(
            "Dead letters",
            "none",
            ("{{consumer}} {{reason}}", "sum by (consumer, reason) (scops_bus_dead_letters_total)"),
        ),
        panel(
            "Passages dropped by the gateway's own check (expected 0)",
            "none",
            ("dropped", "sum(scops_gateway_acl_postcheck_drops_total)"),
        ),
    ),
    "API": (
        panel(
            "Calls",
            "reqps",
            ("{{method}} {{code}}", rate("scops_gateway_calls_total", "method, code")),
        ),
        panel("Calls, p95", "s", ("{{method}}", quantile("scops_gateway_call_seconds", "method"))),
        panel(
            "Scopes not yet projected",
            "none",
            ("scopes", "sum(scops_gateway_unprojected_scopes)"),
        ),
    ),
    "Questions": (
        panel(
            "Questions between services",
            "reqps",
            ("{{method}} {{outcome}}", rate("scops_query_answered_total", "method, outcome")),
        ),
        panel(
            "Questions between services, p95",
            "s",
            ("{{method}}", quantile("scops_query_answer_seconds", "method")),
        ),
        panel(
            "Stages of a search, p95",
            "s",
            ("{{stage}}", quantile("scops_retriever_stage_seconds", "stage")),
        ),
        panel(
            "Hits of the store, by what became of them",
            "ops",
            ("{{outcome}}", rate("scops_retriever_hits_total", "outcome")),
        ),
        panel(
            "Candidates and searches of a question, p50",
            "none",
            ("candidates", quantile("scops_retriever_candidates", share=0.5)),
            ("searches", quantile("scops_retriever_searches", share=0.5)),
        ),
        panel(
            "Ranked chunks that became no passage",
            "cps",
            ("{{reason}}", rate("scops_retriever_left_out_total", "reason")),
        ),
        panel(
            "Nearest passages that the vector search finds",
            "percentunit",
            (
                "found",
                f"sum(rate(scops_retriever_canary_found_total[{WINDOW}])) / "
                f"sum(rate(scops_retriever_canary_expected_total[{WINDOW}]))",
            ),
        ),
        panel(
            "Empty results", "reqps", ("empty", f"sum(rate(scops_retriever_empty_total[{WINDOW}]))")
        ),
        panel(
            "Answers", "reqps", ("{{outcome}}", rate("scops_explainer_answers_total", "outcome"))
        ),
        panel(
            "Passage windows, kept or embedded",
            "ops",
            ("{{outcome}}", rate("scops_retriever_windows_total", "outcome")),
        ),
        panel(
            "Language model: answers, and what no span bears out",
            "reqps",
            ("{{outcome}}", rate("scops_explainer_model_answers_total", "outcome")),
            ("dropped {{kind}}", rate("scops_explainer_model_dropped_total", "kind")),
        ),
        panel(
            "Language model: tokens",
            "ops",
            ("{{direction}}", rate("scops_explainer_model_tokens_total", "direction")),
        ),
        panel(
            "Citations looked up again",
            "reqps",
            ("{{anchor}}", rate("scops_explainer_citations_resolved_total", "anchor")),
        ),
        panel(
            "Stages of an answer, p95",
            "s",
            ("{{stage}}", quantile("scops_explainer_stage_seconds", "stage")),
        ),
        panel(
            "Sentences embedded for an answer; passages without text or lineage",
            "none",
            ("sentences, p50", quantile("scops_explainer_sentences_embedded", share=0.5)),
            ("unreadable", "sum(scops_explainer_passages_unreadable_total)"),
            ("lineage missing", "sum(scops_explainer_lineage_missing_total)"),
        ),
    ),
    "Bus": (
        panel(
            "Messages handled",
            "ops",
            (DURABLE + " {{outcome}}", rate("scops_bus_consumed_total", CONSUMER + ", outcome")),
        ),
        panel("Handling, p95", "s", (DURABLE, quantile("scops_bus_handling_seconds", CONSUMER))),
        panel("Redeliveries", "ops", (DURABLE, rate("scops_bus_redelivered_total", CONSUMER))),
        panel(
            "Waiting for a consumer",
            "none",
            ("pending " + DURABLE, f"max by ({CONSUMER}) (scops_bus_pending)"),
            ("in flight " + DURABLE, f"max by ({CONSUMER}) (scops_bus_ack_pending)"),
        ),
        panel(
            "Publications",
            "ops",
            (
                "{{event}} {{lane}} {{outcome}}",
                rate("scops_bus_published_total", "event, lane, outcome"),
            ),
        ),
        panel(
            "Publication to PubAck, p95",
            "s",
            ("{{event}} {{lane}}", quantile("scops_bus_publish_seconds", "event, lane")),
        ),
        panel(
            "Streams, share of their room",
            "percentunit",
            (
                "{{stream}}",
                "max by (stream) (scops_bus_stream_bytes)"
                " / max by (stream) (scops_bus_stream_bytes_max)",
            ),
        ),
        panel("Outbox rows", "none", ("{{database}}", "max by (database) (scops_outbox_rows)")),
        panel(
            "Outbox, age of the oldest row",
            "s",
            ("{{database}}", "max by (database) (scops_outbox_age_seconds)"),
        ),
    ),
    "Crawl": (
        panel(
            "Fetches",
            "ops",
            ("{{lane}} {{result}}", rate("scops_fetcher_fetches_total", "lane, result")),
        ),
        panel(
            "Lease to record, and wait for the host, p95",
            "s",
            ("fetch {{lane}}", quantile("scops_fetcher_fetch_seconds", "lane")),
            ("wait {{lane}}", quantile("scops_fetcher_host_wait_seconds", "lane")),
        ),
        panel("Bodies", "Bps", ("bodies", f"sum(rate(scops_fetcher_body_bytes_total[{WINDOW}]))")),
        panel(
            "Frontier",
            "none",
            ("{{lane}} {{state}}", "max by (lane, state) (scops_fetcher_queued_entries)"),
        ),
        panel(
            "Open jobs, awaited and lost fetches",
            "none",
            ("open jobs", "max(scops_fetcher_open_jobs)"),
            ("awaited fetches", "max(scops_fetcher_awaited_fetches)"),
            ("lost fetches", "sum(scops_fetcher_lost_total)"),
        ),
        panel("Oldest open job", "s", ("oldest", "max(scops_fetcher_oldest_open_job_seconds)")),
        panel(
            "Stores: refusals and paused durables",
            "none",
            ("{{reason}} {{fault}}", rate("scops_store_refusals_total", "reason, fault")),
            ("paused", "sum(scops_bus_consumer_paused)"),
        ),
        panel(
            "Listings read", "ops", ("all", f"sum(rate(scops_fetcher_listings_total[{WINDOW}]))")
        ),
        panel(
            "Observations compacted",
            "ops",
            ("all", f"sum(rate(scops_change_detector_observations_compacted_total[{WINDOW}]))"),
        ),
        panel("Tables", "bytes", ("{{database}}", "max by (database) (scops_database_bytes)")),
        panel(
            "Clocks: skew, jumps, and hosts brought back",
            "none",
            ("{{instance}} skew", "max by (instance) (abs(scops_clock_skew_seconds))"),
            ("jumps", "sum(scops_clock_jumps_total)"),
            ("hosts brought back", "sum(scops_fetcher_ahead_hosts_total)"),
        ),
        panel(
            "Recrawl", "ops", ("pages", f"sum(rate(scops_fetcher_recrawled_pages_total[{WINDOW}]))")
        ),
        panel("robots.txt", "ops", ("{{kind}}", rate("scops_fetcher_robots_total", "kind"))),
        panel(
            "Links into traps",
            "ops",
            ("{{kind}}", rate("scops_fetcher_trapped_links_total", "kind")),
        ),
    ),
    "Extraction and change": (
        panel("Pages by kind", "ops", ("{{kind}}", rate("scops_extractor_pages_total", "kind"))),
        panel(
            "Tasks of child processes",
            "s",
            ("p95 {{task}}", quantile("scops_child_task_seconds", "task")),
        ),
        panel(
            "Failures, flags, processes replaced",
            "ops",
            ("failure {{reason}}", rate("scops_extractor_failures_total", "reason")),
            ("flag {{flag}}", rate("scops_extractor_flags_total", "flag")),
            ("replaced {{cause}}", rate("scops_child_replaced_total", "cause")),
        ),
        panel(
            "Verdicts",
            "ops",
            (
                "{{verdict}} {{change_class}}",
                rate("scops_change_detector_verdicts_total", "verdict, change_class"),
            ),
        ),
        panel(
            "Chunks of new versions",
            "ops",
            ("{{origin}}", rate("scops_change_detector_chunks_total", "origin")),
        ),
        panel(
            "Observations recorded anew, templates",
            "ops",
            ("contended", f"sum(rate(scops_change_detector_contended_total[{WINDOW}]))"),
            (
                "blocks left out",
                f"sum(rate(scops_change_detector_template_blocks_total[{WINDOW}]))",
            ),
            (
                "versions dropped",
                f"sum(rate(scops_change_detector_versions_dropped_total[{WINDOW}]))",
            ),
            (
                "blobs deleted",
                f"sum(rate(scops_change_detector_blobs_deleted_total[{WINDOW}]))",
            ),
            ("masks", f"sum(rate(scops_change_detector_template_epochs_total[{WINDOW}]))"),
        ),
    ),
    "Index": (
        panel(
            "Heads: verdicts answered",
            "ops",
            ("{{outcome}}", rate("scops_indexer_verdicts_total", "outcome")),
        ),
        panel(
            "Chunks kept and inserted, texts embedded and cached",
            "ops",
            ("chunks {{outcome}}", rate("scops_indexer_chunks_total", "outcome")),
            ("embedded", f"sum(rate(scops_indexer_embedded_total[{WINDOW}]))"),
            ("vector cached", f"sum(rate(scops_indexer_vectors_cached_total[{WINDOW}]))"),
            ("mentions {{outcome}}", rate("scops_indexer_mentions_total", "outcome")),
        ),
        panel(
            "Objects in the store",
            "none",
            ("Passage", "max(scops_indexer_live_objects)"),
            ("PassageHistory", "max(scops_indexer_history_objects)"),
        ),
        panel(
            "Sweeper",
            "none",
            ("retired", "sum(scops_indexer_swept_total)"),
            ("deleted", "sum(scops_indexer_deleted_total)"),
            ("dropped", "sum(scops_indexer_dropped_chunks_total)"),
        ),
        panel("Sweeper, p95", "s", ("run", quantile("scops_indexer_sweep_seconds"))),
    ),
}


def dashboard() -> dict[str, Any]:
    """Returns the dashboard as Grafana imports it."""
    return {
        "uid": "scops",
        "title": "Scops",
        "tags": ["scops"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {
            "list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]
        },
        "panels": [{**each, "id": number} for number, each in enumerate(laid_out(), start=1)],
    }


def laid_out() -> Iterator[dict[str, Any]]:
    """Yields rows and their panels with their places."""
    top = 0
    for title, panels in ROWS.items():
        yield {
            "type": "row",
            "title": title,
            "collapsed": False,
            "panels": [],
            "gridPos": {"x": 0, "y": top, "w": 24, "h": 1},
        }
        top += 1
        for place, each in enumerate(panels):
            line, column = divmod(place, PANELS_PER_LINE)
            yield graph(each, x=column * WIDTH, y=top + line * HEIGHT)
        top += -(-len(panels) // PANELS_PER_LINE) * HEIGHT


def graph(each: Panel, *, x: int, y: int) -> dict[str, Any]:
    """Returns one panel."""
    return {
        "type": "timeseries",
        "title": each.title,
        "datasource": DATASOURCE,
        "gridPos": {"x": x, "y": y, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {"defaults": {"unit": each.unit, "min": 0}, "overrides": []},
        "options": {
            "legend": {"displayMode": "list", "placement": "bottom"},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        "targets": [
            {
                "refId": chr(ord("A") + number),
                "datasource": DATASOURCE,
                "expr": expression,
                "legendFormat": legend,
            }
            for number, (legend, expression) in enumerate(each.lines)
        ],
    }


def main() -> None:
    """Writes the dashboard."""
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else TARGET
    target.write_text(json.dumps(dashboard(), indent=2) + "\n")


if __name__ == "__main__":
    main()
