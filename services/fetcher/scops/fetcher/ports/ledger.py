"""Jobs, and the outcome of each of their pages.

Each method is one transaction; see `scops.fetcher.ports`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.ids import FetchId, JobId, PageId
from scops.common.contract.messages.types import BodyRef, ScopeRef
from scops.common.contract.service_table import Lane
from scops.fetcher.frontier.outcomes import Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job as its command describes it.

    Attributes:
        urls: canonical seeds, each once.
        refused: why other URLs that the command names cannot be pages, by URL.
        robots_urls: robots.txt files whose sitemaps are to be read.
    """

    job_id: JobId
    organisation_id: str
    access_context: str
    scope: ScopeRef
    kind: str
    lane: Lane
    accepted_time: datetime
    page_limit: int
    depth_limit: int
    follow_links: bool
    urls: Sequence[str] = ()
    refused: dict[str, str]
    sitemap_urls: Sequence[str] = ()
    robots_urls: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LostFetch:
    """A published fetch without an outcome, or with one while jobs wait for its links.

    Attributes:
        published_time: of its newest publication.
    """

    fetch_id: FetchId
    published_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedPage:
    """What an extraction says about a fetch.

    Attributes:
        urls: links worth following, canonical.
        blocked_kind: why no version comes of it; empty where one does.
        text_digest: of its text, empty where it has none.
        stated_url: the URL that the page calls its own, canonical; empty where it calls none.
        feed_urls: feeds that the page names.
    """

    fetch_id: FetchId
    links: BodyRef
    urls: Sequence[str]
    pipeline_version: str
    blocked_kind: str
    text_digest: str = ""
    stated_url: str = ""
    feed_urls: Sequence[str] = ()


class Ledger(Protocol):
    """Jobs, and the outcome of each of their pages."""

    async def accept(self, job: NewJob, *, now: datetime) -> None:
        """Records a job with its seeds; a job_id that is known changes nothing.

        A crawl looks again at the pages of its scope's last one: some are in at once,
        and `take_up_some` does the others.
        """
        ...

    async def take_up_some(self, *, now: datetime) -> bool:
        """Adds some more pages of its scope's last crawl to a crawl, of several in turns.

        Returns:
            Whether there was one that had not come to its end with them.
        """
        ...

    async def end_job(
        self, job_id: JobId, ending: Ending, *, organisation_id: str, lane: Lane, now: datetime
    ) -> bool:
        """Ends a job, cancelled or dead, some of its open rows at a time; returns whether it has.

        From the first time on nothing comes in any more, and it ends as it is told here also where
        other outcomes close the last of its rows. One that is unknown ends empty.
        """
        ...

    async def take_extraction(self, extraction: ExtractedPage, *, now: datetime) -> None:
        """Gives the links to the jobs that wait for them, then ends what it ends."""
        ...

    async def take_extractions(
        self, extractions: Sequence[ExtractedPage], *, now: datetime
    ) -> None:
        """Takes extractions of different pages, none of which is blocked, in few statements."""
        ...

    async def settle(self, fetch_id: FetchId, ending: Ending, *, now: datetime) -> None:
        """Records what the index made of a fetch; the first outcome wins."""
        ...

    async def settle_indexed(
        self, fetch_ids: Collection[FetchId], *, now: datetime
    ) -> Collection[FetchId]:
        """Records that the index made versions of fetches of different pages, in few statements.

        Returns:
            Those that it has ended. The others are not as plain: each is to be settled alone.
        """
        ...

    async def fail(self, fetch_id: FetchId, page_id: PageId, reason: str, *, now: datetime) -> None:
        """Records that a fetch was given up downstream; its rows wait for no links any more.

        Args:
            fetch_id: empty where unknown; then the fetch that the page awaits is meant.
        """
        ...

    async def unsettled(self, *, published_before: datetime, limit: int) -> Sequence[LostFetch]:
        """Returns fetches to which an answer is owed, oldest publication first.

        Those without an outcome, and those whose links have not come although jobs wait for them.
        """
        ...

    async def give_up_unrecorded(self, *, leased_before: datetime, now: datetime) -> None:
        """Gives up fetches without a result that hold no host any more; their pages wait again."""
        ...

    async def unsent(self, *, created_before: datetime) -> bool:
        """Says whether events from before an instant are still in the outbox."""
        ...

    async def republish(
        self, fetch_id: FetchId, *, published_before: datetime, may_end: bool, now: datetime
    ) -> None:
        """Publishes a fetch again with the next attempt, or ends what waits for it.

        Without an outcome it ends as dead(lost); with one, its rows end without its links.

        Args:
            may_end: whether it may end now, where it was published too often already.
        """
        ...

    async def forget(self, *, now: datetime) -> bool:
        """Drops a batch of what nobody can ask about any more; returns whether more may be due."""
        ...
