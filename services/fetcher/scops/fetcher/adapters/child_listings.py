"""Reads listings in child processes, one at a time, so that none can hurt more than itself."""

import asyncio

from scops.common.contract.errors import InvalidInput
from scops.common.processes.pool import ChildPool
from scops.common.processes.tasks import ChildTask
from scops.fetcher.discovery.listing import Listing, unpacked
from scops.fetcher.ports.page_source import Fetched

# By name: what it imports is only for the child.
READ_LISTING = ChildTask("scops.fetcher.discovery.listing_task", "read")

LISTING_SECONDS = 6.0
"""50,000 entries take one second; a lease outlives ten listings that take this long."""


class ChildListings:
    """A `ListingReader` on the child processes of this process."""

    def __init__(self, children: ChildPool) -> None:
        self._children = children
        # Listings leave the other children to pages, and only one stands in memory twice.
        self._turn = asyncio.Lock()

    async def read(self, answer: Fetched) -> Listing:
        """Has a child process read the listing."""
        parts = (answer.final_url.encode(), answer.body)
        async with self._turn:
            return listing_from(
                await self._children.run(READ_LISTING, parts, seconds=LISTING_SECONDS)
            )


def listing_from(answer: tuple[bytes, ...]) -> Listing:
    """Returns the listing in the answer of the task.

    Raises:
        InvalidInput: it is none.
    """
    outcome, *rest = answer
    if outcome != b"read":
        raise InvalidInput(rest[0].decode("utf-8", "replace"), reason="INVALID_SITEMAP")
    return unpacked(rest[0], rest[1])
