"""Reads listings in this process: for worlds whose clock stands still."""

from scops.fetcher.adapters.child_listings import listing_from
from scops.fetcher.discovery import listing_task
from scops.fetcher.discovery.listing import Listing
from scops.fetcher.ports.page_source import Fetched


class InlineListings:
    """A `ListingReader`."""

    async def read(self, answer: Fetched) -> Listing:
        """Does the task where it stands."""
        return listing_from(listing_task.answer((answer.final_url.encode(), answer.body)))
