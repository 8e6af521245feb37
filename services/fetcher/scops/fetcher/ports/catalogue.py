"""What the fetcher knows of pages and jobs, to be read, and made ready for it.

Each method is one transaction; see `scops.fetcher.ports`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.ids import JobId, PageId
from scops.common.contract.messages.crawl import (
    JobRecord,
    KnownUrlsRequest,
    KnownUrlsResponse,
    PagePlanResponse,
)
from scops.common.contract.service_table import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much the state holds.

    Attributes:
        queued: entries of the frontier that are due, and that are not yet, by lane; of lane bulk,
            as of everything below, a bounded number is counted.
        oldest_open_time: when the oldest job that has not ended was accepted; None without one.
        awaited_fetches: published, without an outcome.
        ready_hosts: where something is due that may be fetched now and that nobody fetches.
    """

    queued: Mapping[Lane, tuple[int, int]]
    open_jobs: int
    oldest_open_time: datetime | None
    awaited_fetches: int
    ready_hosts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckablePage:
    """A page that somebody wants checked.

    Attributes:
        observed_time: of the last fetch whose outcome is known; None where there is none.
        gone: that fetch found nothing.
    """

    page_id: PageId
    url: str
    observed_time: datetime | None
    gone: bool


class Catalogue(Protocol):
    """Reads what the fetcher knows; `index_hosts` alone writes."""

    async def sizes(self, *, now: datetime) -> Sizes:
        """Counts the frontier, open jobs and awaited fetches of every organisation."""
        ...

    async def known_urls(self, request: KnownUrlsRequest) -> KnownUrlsResponse:
        """Returns pages ordered by URL.

        Raises:
            InvalidInput: the page token is none of ours.
        """
        ...

    async def index_hosts(self, *, limit: int) -> bool:
        """Makes some pages of an earlier release known by the domains of their hosts.

        `known_urls` gives them before that too, and reads all of them for it.

        Returns:
            Whether there may be more.
        """
        ...

    async def page_plan(
        self, *, page_id: PageId, url: str, contexts: Sequence[str]
    ) -> PagePlanResponse:
        """Returns a page by id, else by canonical URL, with its host's clock.

        Args:
            contexts: of which one the page is that a URL names; of several pages the one that
                the index has confirmed, before others that one that was fetched.
        """
        ...

    async def checkable(self, page_ids: Sequence[PageId]) -> Sequence[CheckablePage]:
        """Returns the public pages among those named; others are left out."""
        ...

    async def jobs(self, job_ids: Sequence[JobId]) -> Sequence[JobRecord]:
        """Returns jobs, newest first; with outcomes where exactly one is named."""
        ...
