"""Brings the URL prefixes in the store to the head's canonical URL."""

from scops.common.contract.ids import PageId
from scops.common.scope.urls import url_prefixes
from scops.indexer.ports import IndexerPorts

ATTEMPTS_MAX = 3


async def settle_prefixes(page_id: PageId, ports: IndexerPorts) -> None:
    """Rewrites a page's prefixes; after too many races the sweeper goes on.

    Each writer takes a ticket before it writes. Only who still holds the newest one afterwards
    may say that the store is right: otherwise somebody wrote at the same time, and nobody knows
    who came last.
    """
    for _ in range(ATTEMPTS_MAX):
        ticket = await ports.rows.open_prefixes(page_id)
        if ticket is None:
            return
        await ports.store.set_prefixes(page_id, url_prefixes(ticket.canonical_url))
        if await ports.rows.close_prefixes(page_id, ticket):
            return
