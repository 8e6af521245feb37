"""When a host may be asked again."""

from datetime import datetime, timedelta

from scops.fetcher.frontier.leases import HostLease, Release
from scops.fetcher.ports.page_source import Failed, FetchResult

# Longest pause of a strained host, unless it asks for more.
BACKOFF_SECONDS_MAX = 600.0
# 2 ** 20 first delays are far above any bound.
DOUBLINGS_MAX = 20

RESPONSE_WEIGHT = 0.5
"""Of the newest answer in what a host is believed to take: half of it is as old as two answers."""


def untouched(host: HostLease) -> Release:
    """Returns the release of a host to which nothing was sent."""
    return Release(
        next_allowed_time=host.free_before,
        backoff=host.backoff,
        response_seconds=host.response_seconds,
    )


def smoothed(host: HostLease, answer: FetchResult | None) -> float:
    """Returns how long a host takes to answer, after one more answer."""
    took = answer.response_seconds if answer is not None else 0.0
    if took <= 0:
        return host.response_seconds
    if host.response_seconds <= 0:
        return took
    return RESPONSE_WEIGHT * took + (1 - RESPONSE_WEIGHT) * host.response_seconds


def after_answer(
    host: HostLease,
    answer: FetchResult | None,
    *,
    delay_seconds: float,
    now: datetime,
    backoff_first_seconds: float,
) -> Release:
    """Returns the release of a host after a request.

    The pause is counted from the end of the answer, so that the host sees it whatever the
    network added.

    Args:
        delay_seconds: the host's pause as known by now, this answer included.
        now: when the answer had ended.
        backoff_first_seconds: pause after a first fault; doubles with each one more.
    """
    took = smoothed(host, answer)
    if not isinstance(answer, Failed) or not _strains_host(answer):
        return Release(
            next_allowed_time=now + timedelta(seconds=delay_seconds),
            backoff=0,
            response_seconds=took,
        )
    doublings = min(host.backoff, DOUBLINGS_MAX)
    pause = min(backoff_first_seconds * 2**doublings, BACKOFF_SECONDS_MAX)
    wait = max(delay_seconds, pause, answer.asked_seconds)
    return Release(
        next_allowed_time=now + timedelta(seconds=wait),
        backoff=host.backoff + 1,
        response_seconds=took,
    )


def _strains_host(failure: Failed) -> bool:
    return failure.host_fault or failure.retry_after_seconds is not None
