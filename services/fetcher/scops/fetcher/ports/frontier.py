"""What is fetched next, under which host's clock, and what each fetch brought.

Each method is one transaction; see `scops.fetcher.ports`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.crawl import GoneReason
from scops.common.contract.messages.types import BodyRef
from scops.common.contract.service_table import Lane
from scops.common.observe.trail import Trail, current
from scops.fetcher.discovery.sitemap import SignalKind, SitemapEntry
from scops.fetcher.frontier.leases import HostLease, Leased, PageLease, Release, TaskLease
from scops.fetcher.frontier.outcomes import Ending, Retry
from scops.fetcher.politeness.robots import RobotsPolicy
from scops.fetcher.ports.page_source import Fetched, Unmodified


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


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBody:
    """A body that is in the archive."""

    answer: Fetched
    body: BodyRef


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenAgain:
    """What the index has, seen again.

    Attributes:
        urls: the links of the confirmed fetch, canonical; None where they lead no job anywhere new.
    """

    answer: Unmodified
    urls: Sequence[str] | None
    feed_urls: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedAway:
    """A permanent redirect to another host."""

    target_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """What came of a fetch, as it is to be recorded.

    Attributes:
        time: when the answer had ended.
        trail: what its effects inherit; by default that of the running work.
    """

    lease: PageLease
    time: datetime
    what: KeptBody | SeenAgain | GoneReason | MovedAway | Failure
    trail: Trail = field(default_factory=current)


class Frontier(Protocol):
    """What is fetched next, and under which host's clock."""

    async def lease_some(
        self,
        *,
        lanes: Sequence[Lane],
        lease_ids: Sequence[str],
        now: datetime,
        crowded: Sequence[str] = (),
        run_max: int = 1,
        new_id: Callable[[], str] | None = None,
    ) -> Sequence[Leased]:
        """Takes the next page or sitemap of each of some hosts that are free, in one transaction.

        Lane `now` comes first, then what is oldest due. When it returns a lease, that is
        committed: the host is held until `lease_seconds` from `now`, and the rows of jobs that
        wait for the page hang on the fetch of its id. A lease that ran out is given up on the
        way, and its page waits again.

        Args:
            lease_ids: as many as may be taken, one or more.
            crowded: hosts that are left out on lane bulk.
            run_max: pages of a host that may come as one `PageRun`, where its pause is short.
            new_id: gives the fetches of a run but the first their ids; without it there are none.

        Returns:
            At least one. Other than a lease only the last may be: `Idle` where no other host is
            free or another transaction is in the way, `Settled` where one should ask again. There
            may be fewer leases than hosts that are free.
        """
        ...

    async def is_wanted(self, host_key: str, *, page_ids: Sequence[PageId], now: datetime) -> bool:
        """Says whether something waits for a host on lane `now`.

        Args:
            page_ids: leased pages of the host that were not asked for; a job on lane `now` that
                waits for one of them counts too.
        """
        ...

    async def crowded(self, *, pages_max: int) -> Sequence[str] | None:
        """Returns the hosts that have their share of the pages whose outcome is awaited, or more.

        Args:
            pages_max: awaited pages that hosts share.

        Returns:
            None where fewer are awaited, so that crawls are not what fills the pipeline, or where
            too many hosts share them.
        """
        ...

    async def extend(
        self, host: HostLease, *, fetch_id: FetchId | None = None, now: datetime
    ) -> None:
        """Holds a host for another `lease_seconds`, and the fetch of a page as if leased now.

        Raises:
            LeaseLost: another worker has taken the host, or the fetch was given up.
        """
        ...

    async def borrow(self, host_key: str, *, lease_id: str, now: datetime) -> HostLease | None:
        """Takes a host for a file that another host's leads to; None while it is not free."""
        ...

    async def give_back(self, host: HostLease, *, release: Release, now: datetime) -> None:
        """Releases a borrowed host; one that somebody else holds by now is left alone."""
        ...

    async def inherit(self, *, now: datetime) -> int:
        """Gives up what processes of this data folder held that are known to be dead.

        Their pages wait again at once, and each host is free its pause from now.

        Returns:
            How many leases those were.

        Raises:
            StoreBusy: somebody has one of them in hand; the rest is for another time.
        """
        ...

    async def bring_back(self, *, now: datetime) -> int:
        """Brings instants that lie further ahead than anything is put off back to now.

        A clock that was ahead wrote them. Only when every request from that time is over.

        Returns:
            How many hosts were mended, a bounded number at once.
        """
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
    """What fetches brought; their events go into the outbox with the same transaction."""

    async def record(
        self,
        results: Sequence[PageResult],
        *,
        rest: Sequence[PageLease] = (),
        release: Release | None,
        now: datetime,
    ) -> bool:
        """Records what came of fetches under one lease, in one transaction, and frees their host.

        A fetch that was given up meanwhile changes nothing. A result whose page has moved to the
        URL of another page ends as `PageGone(moved)` instead.

        Args:
            results: in the order in which the answers came.
            rest: pages to which nothing was sent; they wait again as if they had not been leased.
            release: None where the host was given back before.

        Returns:
            Whether it did; if not, nothing has changed, for a job waits for links that a
            `SeenAgain` does not bring along.

        Raises:
            StoreBusy: somebody else has rows of theirs in hand; each alone may be recorded.
        """
        ...
