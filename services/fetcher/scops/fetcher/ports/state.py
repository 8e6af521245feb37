"""What the fetcher's handlers and workers need.

State methods are whole transactions: each either happens or does not, and each may be called
again with the same arguments without a second effect, unless it says otherwise. All of them may
raise `StoreUnavailable`.
"""

import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.archive.ports import Archive
from scops.common.contract import ids
from scops.common.contract.ids import FetchId, JobId, PageId
from scops.common.contract.messages.crawl import (
    GoneReason,
    JobRecord,
    KnownUrlsRequest,
    KnownUrlsResponse,
    PagePlanResponse,
)
from scops.common.contract.messages.types import BodyRef, ScopeRef
from scops.common.contract.service_table import Lane, Role
from scops.common.runtime.clock import Clock
from scops.common.scope.book import ScopeBook
from scops.fetcher.discovery.sitemap import SignalKind, SitemapEntry
from scops.fetcher.discovery.taken_listings import TakenListings
from scops.fetcher.fetch.page_source import Fetched, PageSource, Unmodified
from scops.fetcher.frontier.leases import HostLease, Leased, PageLease, Release, TaskLease
from scops.fetcher.frontier.outcomes import Ending, Retry
from scops.fetcher.politeness.delays import HostDelays
from scops.fetcher.politeness.plain_files import PlainFiles
from scops.fetcher.politeness.robots import RobotsPolicy
from scops.fetcher.politeness.validator_trust import ValidatorTrust
from scops.fetcher.ports.recrawl import Schedule
from scops.fetcher.settings import FetcherSettings


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
class Failure:
    """A fetch that brought no observation.

    Attributes:
        reason: UPPER_SNAKE, for programs.
        decision: whether the page is fetched again, or ends.
        target_url: a redirect's target on another host, which the waiting jobs take up instead.
        forget_validators: whether the next fetch is to bring a body.
        counts: whether it counts as a failure of the page.
    """

    reason: str
    detail: str
    decision: Ending | Retry
    target_url: str = ""
    forget_validators: bool = False
    counts: bool = True


class Frontier(Protocol):
    """What is fetched next, and under which host's clock."""

    async def lease_some(
        self, *, lanes: Sequence[Lane], lease_ids: Sequence[str], now: datetime
    ) -> Sequence[Leased]:
        """Takes the next page or sitemap of each of some hosts that are free, in one transaction.

        Lane `now` comes first, then what is oldest due. When it returns a lease, that is
        committed: the host is held until `lease_seconds` from `now`, and the rows of jobs that
        wait for the page hang on the fetch of its id. A lease that ran out is given up on the
        way, and its page waits again.

        Args:
            lease_ids: as many as may be taken, one or more.

        Returns:
            At least one. Other than a lease only the last may be: `Idle` where no other host is
            free, `Settled` where one should ask again. There may be fewer leases than hosts that
            are free.
        """
        ...

    async def extend(self, host: HostLease, *, now: datetime) -> None:
        """Holds a host for another `lease_seconds`.

        Raises:
            LeaseLost: another worker has taken the host.
        """
        ...

    async def borrow(self, host_key: str, *, lease_id: str, now: datetime) -> HostLease | None:
        """Takes a host for a file that another host's leads to; None while it is not free."""
        ...

    async def give_back(self, host: HostLease, *, release: Release, now: datetime) -> None:
        """Releases a borrowed host; one that somebody else holds by now is left alone."""
        ...

    async def robots(self, robots_url: str, *, now: datetime) -> RobotsPolicy | None:
        """Returns the stored policy, None where there is none or it is too old."""
        ...

    async def keep_robots(
        self,
        robots_url: str,
        policy: RobotsPolicy,
        *,
        host_key: str,
        crawl_delay_seconds: float,
        expires_time: datetime,
    ) -> None:
        """Stores a policy; its crawl delay holds for the host from now on."""
        ...

    async def add_from_sitemap(
        self, lease: TaskLease, entries: Sequence[SitemapEntry], *, kind: SignalKind, now: datetime
    ) -> None:
        """Adds the pages that a sitemap lists to its job, and keeps what it says of their times."""
        ...

    async def finish_task(
        self, lease: TaskLease, sitemap_urls: Sequence[str], *, release: Release, now: datetime
    ) -> None:
        """Ends a sitemap, adds those that it names, and releases the host."""
        ...

    async def retry_task(
        self, lease: TaskLease, *, due_time: datetime, release: Release, now: datetime
    ) -> None:
        """Queues a sitemap again and releases the host."""
        ...


class Results(Protocol):
    """What a fetch brought; each method also puts its event into the outbox and frees the host.

    A fetch that was given up meanwhile changes nothing. A result whose page has moved to the
    URL of another page ends as `PageGone(moved)` instead.
    """

    async def record_fetched(
        self,
        lease: PageLease,
        answer: Fetched,
        body: BodyRef,
        *,
        release: Release | None,
        now: datetime,
    ) -> None:
        """Records a body that is in the archive.

        Args:
            release: None where the host was given back before.
        """
        ...

    async def record_unmodified(
        self,
        lease: PageLease,
        answer: Unmodified,
        urls: Sequence[str],
        *,
        feed_urls: Sequence[str] = (),
        release: Release,
        now: datetime,
    ) -> None:
        """Records a 304, and gives the jobs the links of the fetch it confirms.

        Args:
            urls: those links, canonical.
            feed_urls: the feeds that the page names.
        """
        ...

    async def record_gone(
        self, lease: PageLease, reason: GoneReason, *, release: Release, now: datetime
    ) -> None:
        """Records a 404 or 410."""
        ...

    async def record_moved(
        self, lease: PageLease, target_url: str, *, release: Release, now: datetime
    ) -> None:
        """Records a permanent redirect to another host: the target's page takes over."""
        ...

    async def record_failure(
        self, lease: PageLease, failure: Failure, *, release: Release, now: datetime
    ) -> None:
        """Records that there is no observation."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LostFetch:
    """A published fetch without an outcome.

    Attributes:
        published_time: of its newest publication.
    """

    fetch_id: FetchId
    published_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
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
        """Records a job with its seeds; a job_id that is known changes nothing."""
        ...

    async def end_job(
        self, job_id: JobId, ending: Ending, *, organisation_id: str, lane: Lane, now: datetime
    ) -> None:
        """Ends a job and its open rows, cancelled or dead; one that is unknown ends empty."""
        ...

    async def take_extraction(self, extraction: Extraction, *, now: datetime) -> None:
        """Gives the links to the jobs that wait for them, then ends what it ends."""
        ...

    async def settle(self, fetch_id: FetchId, ending: Ending, *, now: datetime) -> None:
        """Records what the index made of a fetch; the first outcome wins."""
        ...

    async def fail(self, fetch_id: FetchId, page_id: PageId, reason: str, *, now: datetime) -> None:
        """Records that a fetch was given up downstream; its rows wait for no links any more.

        Args:
            fetch_id: empty where unknown; then the fetch that the page awaits is meant.
        """
        ...

    async def unsettled(self, *, published_before: datetime, limit: int) -> Sequence[LostFetch]:
        """Returns published fetches without an outcome, oldest publication first."""
        ...

    async def give_up_unrecorded(self, *, leased_before: datetime, now: datetime) -> None:
        """Gives up fetches without a result that hold no host any more; their pages wait again."""
        ...

    async def unsent(self) -> bool:
        """Says whether events are still in the outbox."""
        ...

    async def republish(
        self, fetch_id: FetchId, *, published_before: datetime, now: datetime
    ) -> None:
        """Publishes a fetch again with the next attempt, or ends it as dead(lost)."""
        ...

    async def forget(self, *, now: datetime) -> None:
        """Drops inbox rows, closed fetches and ended recrawls that no redelivery can reach."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much the state holds.

    Attributes:
        queued: entries of the frontier that are due, and that are not yet, by lane.
        awaited_fetches: published, without an outcome.
    """

    queued: Mapping[Lane, tuple[int, int]]
    open_jobs: int
    awaited_fetches: int


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
    """Reads what the fetcher knows."""

    async def sizes(self, *, now: datetime) -> Sizes:
        """Counts the frontier, open jobs and awaited fetches of every organisation."""
        ...

    async def known_urls(self, request: KnownUrlsRequest) -> KnownUrlsResponse:
        """Returns pages ordered by URL.

        Raises:
            InvalidInput: the page token is none of ours.
        """
        ...

    async def page_plan(self, *, page_id: PageId, url: str) -> PagePlanResponse:
        """Returns a page by id, else by canonical URL, with its host's clock."""
        ...

    async def checkable(self, page_ids: Sequence[PageId]) -> Sequence[CheckablePage]:
        """Returns the public pages among those named; others are left out."""
        ...

    async def jobs(self, job_ids: Sequence[JobId]) -> Sequence[JobRecord]:
        """Returns jobs, newest first; with outcomes where exactly one is named."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Everything the fetcher reaches.

    Attributes:
        backlog: messages pending for the consumers of a role; may raise `TransientError`.
        agent: our product token in robots.txt.
    """

    frontier: Frontier
    results: Results
    ledger: Ledger
    schedule: Schedule
    catalogue: Catalogue
    files: PlainFiles
    listings: TakenListings
    validators: ValidatorTrust
    source: PageSource
    archive: Archive
    scopes: ScopeBook
    clock: Clock
    random: random.Random
    backlog: Callable[[Role], Awaitable[int]]
    settings: FetcherSettings
    delays: HostDelays
    agent: str = "Scops"
    organisation_id: str = "main"

    def new_id(self) -> str:
        """Returns a new UUIDv7 from this service's clock and chance."""
        return ids.uuid7(self.clock.now(), self.random.randbytes(10))
