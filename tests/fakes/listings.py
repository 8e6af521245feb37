"""Reads listings and indexes in this process: for worlds whose clock stands still."""

from collections.abc import Sequence

from scops.fetcher.adapters.child_listings import listing_from
from scops.fetcher.adapters.child_searches import hits_of, parts_of
from scops.fetcher.discovery import listing_task, search_task
from scops.fetcher.discovery.listing import Listing
from scops.fetcher.discovery.search_index import SearchHit
from scops.fetcher.ports.page_source import Fetched


class InlineListings:
    """A `ListingReader`."""

    async def read(self, answer: Fetched) -> Listing:
        """Does the task where it stands."""
        return listing_from(listing_task.answer((answer.final_url.encode(), answer.body)))


class InlineSearches:
    """An `IndexSearcher`."""

    async def search(
        self, body: bytes, *, url: str, question: str, seen: Sequence[str]
    ) -> Sequence[SearchHit]:
        """Does the task where it stands."""
        parts = parts_of(body, url=url, question=question, seen=seen)
        return hits_of(search_task.answer(parts))
