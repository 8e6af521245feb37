"""The recrawl's step: pages that are due become jobs that nobody asked for."""

from scops.fetcher.metrics import RECRAWLED
from scops.fetcher.ports.fetcher import Ports


async def recrawl_due(ports: Ports) -> int:
    """Takes up the pages that are due and that the budgets pay for.

    They are rows of jobs in lane bulk, so that leases, politeness, rules and outcomes are those
    of any crawl.

    Returns:
        The number of pages taken up.
    """
    taken = await ports.schedule.take_due(now=ports.clock.now())
    RECRAWLED.inc(taken)
    return taken
