"""What the fetcher does unasked: it takes up pages that are due, and finds fetches that got lost.

A fetch is lost on the bus, or with a worker that died before it recorded it.
"""

from datetime import timedelta

from scops.common.contract.errors import TransientError
from scops.common.contract.service_table import Role
from scops.fetcher.metrics import LOST, RECRAWLED
from scops.fetcher.ports.fetcher import FetcherPorts

# Age from which on a fetch without an outcome is lost: if nothing is pending, and in any case.
QUIET_AGE = timedelta(minutes=1)
LATE_AGE = timedelta(hours=1)
# Lost fetches handled in one round.
LOST_BATCH = 100
# Between two batches of housekeeping: 10,000 rows a second of a table at the most.
BATCH_PAUSE_SECONDS = 0.05
# In the way of the data: what moves on while we ask is counted by the next one.
WAY = (Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER, Role.FETCHER)


async def recrawl_due(ports: FetcherPorts) -> int:
    """Takes up the pages that are due and that the budgets pay for.

    They are rows of jobs in lane bulk, so that leases, politeness, rules and outcomes are those
    of any crawl.

    Returns:
        The number of pages taken up.
    """
    taken = await ports.schedule.take_due(now=ports.clock.now())
    RECRAWLED.inc(taken)
    return taken


async def forget_due(ports: FetcherPorts) -> None:
    """Forgets what is due, until nothing is: it keeps up with whatever arrives.

    It works in small batches, between which others have their turn.
    """
    while await ports.ledger.forget(now=ports.clock.now()):
        await ports.clock.sleep(BATCH_PAUSE_SECONDS)


async def seek_lost(ports: FetcherPorts) -> None:
    """Finds what got lost either way."""
    await give_up_unrecorded(ports)
    await republish_lost(ports)


async def republish_lost(ports: FetcherPorts) -> int:
    """Publishes fetches again that have no outcome although nobody works on them any more.

    That is so when nothing is pending downstream, or after `LATE_AGE` in any case.

    Returns:
        The number of fetches published again or given up as dead(lost).
    """
    now = ports.clock.now()
    quiet_before, late_before = now - QUIET_AGE, now - LATE_AGE
    unsettled = await ports.ledger.unsettled(published_before=quiet_before, limit=LOST_BATCH)
    if not unsettled:
        return 0
    if not await _is_quiet(ports):
        unsettled = [fetch for fetch in unsettled if fetch.published_time < late_before]
    for fetch in unsettled:
        await ports.ledger.republish(fetch.fetch_id, published_before=quiet_before, now=now)
    LOST.inc(len(unsettled))
    return len(unsettled)


async def give_up_unrecorded(ports: FetcherPorts) -> None:
    """Lets pages wait again whose worker freed the host and did not come to the result."""
    now = ports.clock.now()
    patience = timedelta(seconds=ports.settings.lease_seconds)
    await ports.ledger.give_up_unrecorded(leased_before=now - 2 * patience, now=now)


async def _is_quiet(ports: FetcherPorts) -> bool:
    """Says whether nothing is pending anywhere; a bus that does not answer is not quiet."""
    if await ports.ledger.unsent():
        return False
    try:
        for role in WAY:
            if await ports.backlog(role):
                return False
    except TransientError:
        return False
    return True
