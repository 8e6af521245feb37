"""The scheduler's two halves: lease what is next; do it and record it."""

from collections.abc import Sequence
from datetime import timedelta

from scops.common.contract.errors import TransientError
from scops.common.contract.service_table import Lane, Role
from scops.fetcher.discovery.sitemap_read import read_task
from scops.fetcher.fetch.page_fetch import fetch_page
from scops.fetcher.fetch.page_run import fetch_run
from scops.fetcher.frontier.leases import Idle, Leased, LeaseLost, PageLease, PageRun, TaskLease
from scops.fetcher.ports.fetcher import FetcherPorts

BOTH_LANES = (Lane.NOW, Lane.BULK)
# Between two looks whether a clock that has jumped can be trusted again.
UNSETTLED_PAUSE = timedelta(seconds=1)
DOWNSTREAM = (Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER)


async def lease_some(
    ports: FetcherPorts, *, lanes: Sequence[Lane] = BOTH_LANES, count: int, run_max: int = 1
) -> Sequence[Leased]:
    """Takes what is next on up to `count` hosts; see `Frontier.lease_some` for what comes back."""
    if not ports.may_ask_hosts:
        return (Idle(ports.clock.now() + UNSETTLED_PAUSE),)
    crowded: Sequence[str] | None = ()
    if Lane.BULK in lanes:
        room = await _room(ports)
        if room < 0:
            crowded = await ports.frontier.crowded(pages_max=ports.settings.pending_max)
        if crowded is None:
            lanes = tuple(lane for lane in lanes if lane is not Lane.BULK)
        # Runs of all workers together are no more than what may still be on its way.
        run_max = max(min(run_max, room // ports.settings.workers), 1)
    lease_ids = [ports.new_id() for _ in range(count)]
    return await ports.frontier.lease_some(
        lanes=lanes,
        lease_ids=lease_ids,
        now=ports.clock.now(),
        crowded=crowded or (),
        run_max=run_max,
        new_id=ports.new_id,
    )


async def work_on(leased: PageLease | PageRun | TaskLease, ports: FetcherPorts) -> bool:
    """Does what was leased, and records what came of it.

    Returns:
        Whether the lease held to the end; if not, the page or sitemap waits again.

    Raises:
        TransientError: state or archive do not answer; the page waits again.
    """
    try:
        if isinstance(leased, TaskLease):
            await read_task(leased, ports)
        elif isinstance(leased, PageRun):
            await fetch_run(leased, ports)
        else:
            await fetch_page(leased, ports)
    except LeaseLost:
        return False
    return True


async def _room(ports: FetcherPorts) -> int:
    """Returns how many messages more may wait at the stage downstream that is most behind.

    Below 0 where one is too far behind, or cannot be asked; crawls of sites that have less than
    their share of it on its way go on then.
    """
    try:
        backlogs = [await ports.backlog(role) for role in DOWNSTREAM]
    except TransientError:
        return -1
    return ports.settings.pending_max - max(backlogs)
