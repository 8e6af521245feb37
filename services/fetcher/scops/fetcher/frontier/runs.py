"""How many pages of a host are fetched in turn under one lease.

A slot sleeps through the pauses of a run, so that a run is made only of a host that hardly rests:
elsewhere the slot serves other hosts meanwhile.
"""

from scops.fetcher.frontier.leases import HostLease

RUN_PAGES_MAX = 16
"""Pages of a run at most: as many are fetched again after a crash."""
RUN_SECONDS = 2.0
"""From the first request of a run to its last one at most; others wait so long for a slot."""
PAUSE_SECONDS_MAX = 0.1
"""Longest pause of a host of which runs are made."""
BYTES_MAX = 1024 * 1024
"""Of bodies that a run holds before it ends."""
TYPICAL_SECONDS = 0.02
"""What an answer is taken to last of a host that has not answered yet."""


def run_length(host: HostLease) -> int:
    """Returns how many pages of a host a run may have; 1 where none is to be made."""
    if host.backoff or host.delay_seconds > PAUSE_SECONDS_MAX:
        return 1
    each = host.delay_seconds + (host.response_seconds or TYPICAL_SECONDS)
    return min(1 + int(RUN_SECONDS / each), RUN_PAGES_MAX)
