"""What is fetched next, under which host's clock, and what each fetch brought.

Each method is one transaction; see `scops.fetcher.ports`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.messages.crawl import (
    GoneReason,
)
from scops.common.contract.messages.types import BodyRef
from scops.common.contract.service_table import Lane
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


class Frontier(Protocol):
    """What is fetched next, and under which host's clock."""

    async def lease_some(
        self,
        *,
        lanes: Sequence[Lane],
        lease_ids: Sequence[str],
        now: datetime,
        crowded: Sequence[str] = (),
    ) -> Sequence[Leased]:
        """Takes the next page or sitemap of each of some hosts that are free, in one transaction.

        Lane `now` comes first, then what is oldest due. When it returns a lease, that is
        committed: the host is held until `lease_seconds` from `now`, and the rows of jobs that
        wait for the page hang on the fetch of its id. A lease that ran out is given up on the
        way, and its page waits again.

        Args:
            lease_ids: as many as may be taken, one or more.
            crowded: hosts that are left out on lane bulk.

        Returns:
            At least one. Other than a lease only the last may be: `Idle` where no other host is
            free, `Settled` where one should ask again. There may be fewer leases than hosts that
            are free.
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
        urls: Sequence[str] | None,
        *,
        feed_urls: Sequence[str] = (),
        release: Release,
        now: datetime,
    ) -> bool:
        """Records a 304, and gives the jobs the links of the fetch it confirms.

        Args:
            urls: those links, canonical; None where they lead no job anywhere new.
            feed_urls: the feeds that the page names.

        Returns:
            Whether it did; if not, nothing has changed, for a job waits for the links.
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
