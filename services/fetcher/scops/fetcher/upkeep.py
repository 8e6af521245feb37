"""What the fetcher does unasked: it takes up pages that are due, and finds fetches that got lost.

A fetch is lost on the bus, or with a worker that died before it recorded it.
"""

from datetime import datetime, timedelta

from scops.common.contract.errors import TransientError
from scops.common.db.types import EPOCH
from scops.common.observe.log import get_logger
from scops.fetcher.metrics import AHEAD, LOST, RECRAWLED
from scops.fetcher.ports.fetcher import FetcherPorts

log = get_logger("fetcher.upkeep")
# Age from which on a fetch without an outcome may be lost: if nothing waits, and in any case.
QUIET_AGE = timedelta(minutes=1)
LATE_AGE = timedelta(hours=1)
# Lost fetches handled in one round.
LOST_BATCH = 100
# Pages that are as they were, told of together.
VERIFIED_PAGES_MAX = 256
# Pages of one batch that hosts are written for.
INDEXED_AT_ONCE = 200
# Between two batches of housekeeping: 10,000 rows a second of a table at the most.
BATCH_PAUSE_SECONDS = 0.05


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


async def publish_verified(ports: FetcherPorts, *, limit: int = VERIFIED_PAGES_MAX) -> bool:
    """Publishes pages that are as they were together; returns whether there may be more."""
    return await ports.verified.publish(limit=limit, now=ports.clock.now()) == limit


async def take_up_revisits(ports: FetcherPorts) -> bool:
    """Takes up some pages that a crawl looks at again; returns whether there may be more."""
    return await ports.ledger.take_up_some(now=ports.clock.now())


async def forget_due(ports: FetcherPorts) -> None:
    """Forgets what is due, until nothing is: it keeps up with whatever arrives.

    It works in small batches, between which others have their turn.
    """
    while await ports.ledger.forget(now=ports.clock.now()):
        await ports.clock.sleep(BATCH_PAUSE_SECONDS)
    await ports.purges.forget(now=ports.clock.now())


async def index_hosts(ports: FetcherPorts) -> None:
    """Makes pages of an earlier release known by the domains of their hosts, until all are."""
    while await ports.catalogue.index_hosts(limit=INDEXED_AT_ONCE):
        await ports.clock.sleep(BATCH_PAUSE_SECONDS)


async def seal_anew(ports: FetcherPorts) -> None:
    """Seals credentials by the newest key, so that the keys behind it may go.

    The log says what became of them: as long as it names some that are unreadable, keys lack.
    """
    done = await ports.credentials.seal_anew()
    if done.resealed or done.unreadable:
        log.info("credentials_sealed_anew", resealed=done.resealed, unreadable=done.unreadable)


async def seek_lost(ports: FetcherPorts) -> None:
    """Finds what got lost either way, and what a clock that was ahead has put off."""
    if ports.may_ask_hosts:
        AHEAD.inc(await ports.frontier.bring_back(now=ports.clock.now()))
    await give_up_unrecorded(ports)
    await republish_lost(ports)


async def republish_lost(ports: FetcherPorts) -> int:
    """Repeats what is owed to fetches without an outcome, or whose links never came.

    One is known to be lost when nothing that was published before waits anywhere: then it is
    published again, and ends when that has led to nothing too often. After `LATE_AGE` it is
    published again in any case, which may be needless; it never ends by the clock.

    Returns:
        The number of fetches published again or given up as dead(lost).
    """
    now = ports.clock.now()
    quiet_before, late_before = now - QUIET_AGE, now - LATE_AGE
    unsettled = await ports.ledger.unsettled(published_before=quiet_before, limit=LOST_BATCH)
    if not unsettled:
        return 0
    passed = await _passed_before(ports, quiet_before)
    lost = [fetch for fetch in unsettled if fetch.published_time < max(passed, late_before)]
    for fetch in lost:
        known = fetch.published_time < passed
        await ports.ledger.republish(
            fetch.fetch_id, published_before=quiet_before, may_end=known, now=now
        )
    LOST.inc(len(lost))
    return len(lost)


async def give_up_unrecorded(ports: FetcherPorts) -> None:
    """Lets pages wait again whose worker freed the host and did not come to the result."""
    now = ports.clock.now()
    patience = timedelta(seconds=ports.settings.lease_seconds)
    await ports.ledger.give_up_unrecorded(leased_before=now - 2 * patience, now=now)


async def _passed_before(ports: FetcherPorts, quiet_before: datetime) -> datetime:
    """Returns until when nothing published waits; a bus that does not answer tells nothing new."""
    try:
        waiting = await ports.ledger.unsent(created_before=quiet_before)
        passed = await ports.passage.look(sent_before=None if waiting else quiet_before)
    except TransientError:
        passed = ports.passage.passed
    return passed or EPOCH
