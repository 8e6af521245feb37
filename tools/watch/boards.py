"""The boards that answer a question across roles: is it well, fresh, good, cheap?"""

from tools.watch.levels import BUDGET_WINDOW, LEVELS, WINDOWS, Level
from tools.watch.panels import WINDOW, Board, Panel, panel, quantile, rate, ratio

CONSUMER = "consumer, event, lane"
DURABLE = "{{consumer}} {{event}} {{lane}}"
CPU = 'process_cpu_seconds_total{job="scops"}'

OVERVIEW = Board(
    "overview",
    "Overview",
    {
        "Is it well": (
            panel(
                "Processes that answer, by role",
                "none",
                ("{{role}}", "sum by (role) (up{job='scops'})"),
                ("ready", "sum(scops_ready)"),
            ),
            panel(
                "Failing checks", "none", ("{{check}}", "sum by (check) (1 - scops_check_passing)")
            ),
            panel(
                "Alerts that fire",
                "none",
                ("{{alertname}}", 'count by (alertname) (ALERTS{alertstate="firing"})'),
            ),
            panel(
                "Oldest unacknowledged message",
                "s",
                (DURABLE, f"max by ({CONSUMER}) (scops_bus_oldest_unacked_seconds)"),
            ),
            panel(
                "Dead letters",
                "none",
                (
                    "{{consumer}} {{reason}}",
                    "sum by (consumer, reason) (scops_bus_dead_letters_total)",
                ),
            ),
            panel(
                "Passages dropped by the gateway's own check (expected 0)",
                "none",
                ("dropped", "sum(scops_gateway_acl_postcheck_drops_total)"),
                ("scopes refused", "sum(scops_access_refused_scopes_total)"),
            ),
        ),
        "Work": (
            panel("Calls", "reqps", ("{{code}}", rate("scops_gateway_calls_total", "code"))),
            panel("Fetches", "ops", ("{{result}}", rate("scops_fetcher_fetches_total", "result"))),
            panel(
                "Verdicts answered by the index",
                "ops",
                ("{{outcome}}", rate("scops_indexer_verdicts_total", "outcome")),
            ),
        ),
        "Bus": (
            panel(
                "Messages handled",
                "ops",
                ("{{consumer}} {{outcome}}", rate("scops_bus_consumed_total", "consumer, outcome")),
            ),
            panel(
                "Waiting for a consumer",
                "none",
                ("pending " + DURABLE, f"max by ({CONSUMER}) (scops_bus_pending)"),
                ("in flight " + DURABLE, f"max by ({CONSUMER}) (scops_bus_ack_pending)"),
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
            panel(
                "Outbox, age of the oldest row",
                "s",
                ("{{database}}", "max by (database) (scops_outbox_age_seconds)"),
            ),
            panel(
                "Redeliveries",
                "ops",
                ("{{consumer}}", rate("scops_bus_redelivered_total", "consumer")),
            ),
            panel(
                "Loops started again",
                "ops",
                ("{{role}} {{loop}}", rate("scops_loop_restarts_total", "role, loop")),
            ),
        ),
        "Stores and clocks": (
            panel(
                "Stores: refusals and paused durables",
                "none",
                ("{{reason}} {{fault}}", rate("scops_store_refusals_total", "reason, fault")),
                ("paused", "sum(scops_bus_consumer_paused)"),
            ),
            panel("Tables", "bytes", ("{{database}}", "max by (database) (scops_database_bytes)")),
            panel(
                "Clocks: skew, jumps, and hosts brought back",
                "none",
                ("{{instance}} skew", "max by (instance) (abs(scops_clock_skew_seconds))"),
                ("jumps", "sum(scops_clock_jumps_total)"),
                ("hosts brought back", "sum(scops_fetcher_ahead_hosts_total)"),
            ),
        ),
    },
)

FRESHNESS = Board(
    "freshness",
    "Freshness",
    {
        "From the web to an answer": (
            panel(
                "Fetch to found, p50 and p99",
                "s",
                ("p50", quantile("scops_indexer_freshness_seconds", share=0.5)),
                ("p99", quantile("scops_indexer_freshness_seconds", share=0.99)),
            ),
            panel(
                "New versions found within 15 minutes",
                "percentunit",
                ("share", "1 - scops:freshness:error_ratio_rate1h"),
            ),
            panel(
                "Due pages that wait for their host, p95",
                "s",
                ("{{lane}}", quantile("scops_fetcher_host_wait_seconds", "lane")),
            ),
            panel(
                "Frontier: due and later",
                "none",
                ("{{lane}} {{state}}", "max by (lane, state) (scops_fetcher_queued_entries)"),
            ),
            panel(
                "Pages taken up unasked",
                "ops",
                ("pages", rate("scops_fetcher_recrawled_pages_total")),
            ),
            panel(
                "What fetches found",
                "ops",
                ("{{result}}", rate("scops_fetcher_fetches_total", "result")),
            ),
        ),
        "Where it waits": (
            panel(
                "Oldest message by consumer",
                "s",
                (DURABLE, f"max by ({CONSUMER}) (scops_bus_oldest_unacked_seconds)"),
            ),
            panel(
                "Handling, p95", "s", (DURABLE, quantile("scops_bus_handling_seconds", CONSUMER))
            ),
            panel("Fetch, p95", "s", ("{{lane}}", quantile("scops_fetcher_fetch_seconds", "lane"))),
        ),
        "Changes and jobs": (
            panel(
                "Verdicts",
                "ops",
                (
                    "{{verdict}} {{change_class}}",
                    rate("scops_change_detector_verdicts_total", "verdict, change_class"),
                ),
            ),
            panel(
                "Open jobs, and the age of the oldest",
                "none",
                ("open", "max(scops_fetcher_open_jobs)"),
                ("oldest, seconds", "max(scops_fetcher_oldest_open_job_seconds)"),
            ),
            panel(
                "Jobs: acceptance to end, p95",
                "s",
                ("{{state}}", quantile("scops_gateway_job_seconds", "state")),
            ),
        ),
    },
)

RETRIEVAL = Board(
    "retrieval",
    "Retrieval",
    {
        "Calls": (
            panel(
                "Questions",
                "reqps",
                (
                    "{{method}} {{code}}",
                    rate(
                        "scops_gateway_calls_total",
                        "method, code",
                        where='{method=~".*SearchService/.*"}',
                    ),
                ),
            ),
            panel(
                "Questions, p50",
                "s",
                (
                    "{{method}}",
                    quantile(
                        "scops_gateway_call_seconds",
                        "method",
                        share=0.5,
                        where='{method=~".*SearchService/.*"}',
                    ),
                ),
                exemplars=True,
            ),
            panel(
                "Questions, p95",
                "s",
                (
                    "{{method}}",
                    quantile(
                        "scops_gateway_call_seconds",
                        "method",
                        where='{method=~".*SearchService/.*"}',
                    ),
                ),
                exemplars=True,
            ),
            panel(
                "Stages of a search, p95",
                "s",
                ("{{stage}}", quantile("scops_retriever_stage_seconds", "stage")),
                exemplars=True,
            ),
            panel(
                "Stages of an answer, p95",
                "s",
                ("{{stage}}", quantile("scops_explainer_stage_seconds", "stage")),
                exemplars=True,
            ),
            panel(
                "Between services, p95",
                "s",
                ("{{method}}", quantile("scops_query_answer_seconds", "method")),
                exemplars=True,
            ),
        ),
        "What is found": (
            panel(
                "Hits of the store, by what became of them",
                "ops",
                ("{{outcome}}", rate("scops_retriever_hits_total", "outcome")),
            ),
            panel(
                "Nearest passages that the vector search finds",
                "percentunit",
                (
                    "found",
                    ratio(
                        "scops_retriever_canary_found_total",
                        "scops_retriever_canary_expected_total",
                    ),
                ),
            ),
            panel(
                "Questions without a passage",
                "reqps",
                ("empty", rate("scops_retriever_empty_total")),
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
                "Answers",
                "reqps",
                ("{{outcome}}", rate("scops_explainer_answers_total", "outcome")),
            ),
        ),
    },
)

COST = Board(
    "cost",
    "Cost",
    {
        "Machines": (
            panel(
                "CPU by role", "none", ("{{role}} cores", f"sum by (role) (rate({CPU}[{WINDOW}]))")
            ),
            panel(
                "Memory by role",
                "bytes",
                ("{{role}}", "sum by (role) (process_resident_memory_bytes{job='scops'})"),
            ),
            panel(
                "CPU a fetched page",
                "s",
                (
                    "of all roles",
                    f"sum(rate({CPU}[{WINDOW}])) / {rate('scops_fetcher_fetches_total')}",
                ),
            ),
        ),
        "Models": (
            panel(
                "Texts embedded, and found in the cache",
                "ops",
                ("embedded", rate("scops_indexer_embedded_total")),
                ("cached", rate("scops_indexer_vectors_cached_total")),
            ),
            panel(
                "Language model: tokens",
                "ops",
                ("{{direction}}", rate("scops_explainer_model_tokens_total", "direction")),
            ),
            panel(
                "Chunks of new versions: what is kept costs nothing",
                "ops",
                ("{{origin}}", rate("scops_change_detector_chunks_total", "origin")),
            ),
        ),
        "What is kept": (
            panel(
                "Bodies put into the archive",
                "Bps",
                ("bodies", rate("scops_fetcher_body_bytes_total")),
            ),
            panel(
                "Objects in the store",
                "none",
                ("live", "max(scops_indexer_live_objects)"),
                ("history", "max(scops_indexer_history_objects)"),
            ),
            panel("Tables", "bytes", ("{{database}}", "max by (database) (scops_database_bytes)")),
            panel("Streams", "bytes", ("{{stream}}", "max by (stream) (scops_bus_stream_bytes)")),
            panel(
                "Versions dropped, blobs deleted",
                "ops",
                ("versions", rate("scops_change_detector_versions_dropped_total")),
                ("blobs", rate("scops_change_detector_blobs_deleted_total")),
            ),
        ),
    },
)


def _level_panels(level: Level) -> tuple[Panel, ...]:
    budget = f"{level.budget:g}"
    spent = f"{level.ratio(BUDGET_WINDOW)} / {budget}"
    return (
        panel("Budget of 30 days that is left", "percentunit", ("left", f"1 - {spent}")),
        panel(
            "Burn rate: 1 uses the budget up in 30 days",
            "none",
            *((window, f"{level.ratio(window)} / {budget}") for window in ("5m", "1h", "6h", "3d")),
        ),
        panel(
            "Error ratio by window",
            "percentunit",
            *((window, level.ratio(window)) for window in WINDOWS),
        ),
    )


SERVICE_LEVELS = Board(
    "service-levels", "Service levels", {level.promise: _level_panels(level) for level in LEVELS}
)
ACROSS = (OVERVIEW, SERVICE_LEVELS, FRESHNESS, RETRIEVAL, COST)
