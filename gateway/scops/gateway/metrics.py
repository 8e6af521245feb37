"""Metrics of the gateway."""

from scops.common.observe.metrics import counter, gauge, histogram

CALLS = counter(
    "scops_gateway_calls_total",
    unit="calls",
    labels=("method", "code"),
    meaning="Calls answered, by gRPC method and status code.",
)
CALL_SECONDS = histogram(
    "scops_gateway_call_seconds",
    unit="seconds",
    labels=("method",),
    meaning="Time from the arrival of a call to its answer.",
)
ACL_POSTCHECK_DROPS = counter(
    "scops_gateway_acl_postcheck_drops_total",
    unit="passages",
    meaning="Passages a service returned that no asked scope's rules match; expected 0, alarm.",
)
JOB_SECONDS = histogram(
    "scops_gateway_job_seconds",
    unit="seconds",
    labels=("state",),
    meaning="Time from the acceptance of a job to its end: completed, failed or cancelled.",
    buckets=(1, 10, 60, 300, 900, 3600, 14400, 86400, 259200),
)
UNPROJECTED = gauge(
    "scops_gateway_unprojected_scopes",
    unit="scopes",
    meaning="Scopes whose newest revision the projection may lack, of one batch.",
)
CALLS_REFUSED = counter(
    "scops_gateway_calls_refused_total",
    unit="calls",
    labels=("reason",),
    meaning="Calls refused before any work: rate (of their principal) or overload.",
)
SLOTS = gauge(
    "scops_gateway_slots",
    unit="calls",
    labels=("cost",),
    meaning="Calls that search or answer that are worked on at once, by the time that they take.",
)
OPEN_STREAMS = gauge(
    "scops_gateway_open_streams",
    unit="streams",
    labels=("method",),
    meaning="Streams that callers have open, by gRPC method.",
)
RESEARCHES = counter(
    "scops_gateway_researches_total",
    unit="researches",
    labels=("stopped",),
    meaning="Research runs that ended, by why: covered, low_gain, cost, pages, seconds, "
    "bytes, nothing_left, failed.",
)
DELIVERIES = counter(
    "scops_gateway_deliveries_total",
    unit="attempts",
    labels=("target", "outcome"),
    meaning="Attempts to deliver alerts, by target (webhook, email, apprise) and outcome: sent, "
    "empty (nothing of it counts any more), failed (attempted again), dead (given up).",
)
