"""What a worker is allowed to do next: a lease holds one host, mostly for one page or sitemap."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from scops.common.contract.errors import TransientError
from scops.common.contract.ids import FetchId, JobId, PageId
from scops.common.contract.messages.types import BodyRef, ScopeRef
from scops.common.contract.service_table import Lane
from scops.common.observe.trail import Trail
from scops.fetcher.politeness.robots import RobotsPolicy


class LeaseLost(TransientError):
    """Another worker took the host after our lease ran out: nothing more may be requested."""

    default_reason = "LEASE_LOST"


class TaskKind(StrEnum):
    """What a crawl reads beside pages."""

    # Only for the sitemaps that it names.
    ROBOTS = "robots"
    SITEMAP = "sitemap"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLease:
    """The exclusive right to send requests to a host.

    Attributes:
        lease_id: the fetch_id where a page is fetched, of a run's first one.
        delay_seconds: the host's pause, by settings, robots.txt and how long it takes to answer.
        response_seconds: how long it takes to answer, smoothed; 0 where unknown.
        free_before: when the host was free before this lease, or is by what a run sent before;
            given back if nothing was sent.
        backoff: faults of the host in a row before this lease.
        send_before: a request begun before this instant ends before the lease does.
    """

    lease_id: str
    host_key: str
    delay_seconds: float
    free_before: datetime
    backoff: int
    send_before: datetime
    response_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Validators:
    """What a conditional request needs; of a fetch whose `VersionIndexed` has come.

    Attributes:
        fetch_id: the fetch that a 304 confirms.
        links: the links of that fetch, since a 304 brings none.
    """

    fetch_id: FetchId
    etag: str
    last_modified: str
    validated_url: str
    content_key: str
    links: BodyRef


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLease:
    """A fetch that is to be done now.

    Attributes:
        attempts: failures of this page in a row so far.
        scopes: of the jobs that wait for it; a redirect must stay inside one of them.
        robots: the policy of the URL's authority, where a fresh one is stored.
        links_given: whether the links of the confirmed fetch lead none of those jobs anywhere new.
        by_browser: whether only a browser shows what it says.
        due_time: since when it waits for its host.
        trail: of the oldest job that waits for it.
    """

    fetch_id: FetchId
    page_id: PageId
    organisation_id: str
    access_context: str
    url: str
    lane: Lane
    host: HostLease
    attempts: int
    scopes: tuple[ScopeRef, ...]
    validators: Validators | None
    robots: RobotsPolicy | None
    links_given: bool
    due_time: datetime
    trail: Trail
    by_browser: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRun:
    """Pages of one host that are fetched in turn under one lease of it, and recorded together.

    Attributes:
        host: the lease that all of them have; its id is the fetch_id of the first.
        pages: two or more, in the order in which they are due.
    """

    host: HostLease
    pages: tuple[PageLease, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLease:
    """A sitemap, or a robots.txt that may name some, to be read for a job.

    Attributes:
        depth: sitemap indexes above it.
        attempts: failures so far.
    """

    task_id: str
    job_id: JobId
    kind: TaskKind
    url: str
    lane: Lane
    depth: int
    attempts: int
    host: HostLease
    robots: RobotsPolicy | None


@dataclass(frozen=True, slots=True)
class Settled:
    """Rows ended without a request, such as those that the rules no longer hold; ask again."""


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing may be requested now; `next_time` says when that may change by itself."""

    next_time: datetime | None


Leased = PageLease | PageRun | TaskLease | Settled | Idle


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """How a host is left when a lease ends; the fields are those of its row."""

    next_allowed_time: datetime
    backoff: int
    response_seconds: float = 0.0
