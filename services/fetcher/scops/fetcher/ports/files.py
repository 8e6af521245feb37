"""What is kept of sites beside their pages: files, readings of listings, trust in validators.

Each method is one transaction; see `scops.fetcher.ports`.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from scops.fetcher.discovery.listing import Listing
from scops.fetcher.discovery.search_index import SearchHit
from scops.fetcher.discovery.taken_listings import TakenListing
from scops.fetcher.frontier.leases import TaskLease
from scops.fetcher.politeness.plain_files import KeptFile
from scops.fetcher.politeness.validator_trust import SiteCounts
from scops.fetcher.ports.page_source import Fetched


class PlainFiles(Protocol):
    """Keeps files by URL. May raise `StoreUnavailable`."""

    async def held(self, url: str) -> KeptFile | None:
        """Returns what is held of a file."""
        ...

    async def keep(self, url: str, file: KeptFile) -> None:
        """Stores a file in the place of what was held; one that is too large without its body."""
        ...

    async def seen(self, url: str, *, now: datetime) -> None:
        """Notes that a file that is held was asked for again, and is as it was."""
        ...


class ListingReader(Protocol):
    """Reads sitemaps, feeds and llms.txt, whatever they hold."""

    async def read(self, answer: Fetched) -> Listing:
        """Returns what a listing names; costs the caller little time and memory.

        Raises:
            InvalidInput: it is none.
            PermanentError: reading it takes more time or memory than it may.
            TransientError: nobody can read it now.
        """
        ...


class IndexSearcher(Protocol):
    """Searches the search indexes of sites, whatever they hold."""

    async def search(
        self, body: bytes, *, url: str, question: str, seen: Sequence[str]
    ) -> Sequence[SearchHit]:
        """Returns the pages that an index finds, best first; costs the caller little time.

        Args:
            url: of the index; its name says its form.
            seen: URLs of the site's pages, by which it is told how the index names them.

        Raises:
            InvalidInput: it is no index that can be read.
            PermanentError: reading it takes more time or memory than it may.
            TransientError: nobody can read it now.
        """
        ...


class TakenListings(Protocol):
    """Keeps readings by scope and URL. May raise `StoreUnavailable`."""

    async def taken(self, lease: TaskLease, *, now: datetime) -> TakenListing | None:
        """Returns what the scope of a recrawl has taken up; None where the job has to read it.

        That is: for a crawl, for another revision of the scope, and after `TAKEN_KEPT`.
        """
        ...

    async def keep(self, lease: TaskLease, listing: TakenListing, *, now: datetime) -> None:
        """Notes that the job of a lease has taken up all of a listing.

        Does nothing where it has not: the lease is lost, the job has ended or is full.
        """
        ...


class ValidatorTrust(Protocol):
    """Keeps what validators of sites were worth. May raise `StoreUnavailable`."""

    async def believed(self, host_key: str, *, now: datetime) -> bool:
        """Says whether a 304 of a site means that a page has not changed."""
        ...

    async def count(self, counts: SiteCounts) -> None:
        """Counts an audit; called once for each."""
        ...
