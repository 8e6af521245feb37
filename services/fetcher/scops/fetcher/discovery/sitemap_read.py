"""Reads a leased sitemap, feed or llms.txt for a crawl, or the robots.txt that names sitemaps."""

from dataclasses import dataclass
from datetime import timedelta

from scops.common.contract.errors import InvalidInput, PermanentError
from scops.common.observe.log import get_logger
from scops.common.scope.urls import canonical_url
from scops.fetcher.discovery.hubs import named_hub
from scops.fetcher.discovery.listing import Listing
from scops.fetcher.discovery.llms_txt import llms_txt_url
from scops.fetcher.discovery.sitemap import LISTING_BYTES_MAX, SITEMAPS_PER_JOB_MAX
from scops.fetcher.discovery.taken_listings import TakenListing, listing_digest
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.leases import TaskKind, TaskLease
from scops.fetcher.frontier.outcomes import RETRY_GROWTH
from scops.fetcher.metrics import LISTINGS
from scops.fetcher.politeness.plain_files import as_fetched, held_after, request_for
from scops.fetcher.politeness.robots import RobotsPolicy, off_the_loop, robots_url
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.page_source import Failed, Fetched, FetchResult, Redirected, Unmodified

URLS_PER_TRANSACTION = 500

log = get_logger("fetcher.sitemap")


@dataclass(frozen=True, slots=True)
class _NamedSitemaps:
    """Where robots.txt leads, or nowhere."""

    sitemaps: tuple[str, ...] = ()


async def read_task(lease: TaskLease, ports: FetcherPorts) -> None:
    """Reads one sitemap and gives its pages to the job; an unreadable one gives none.

    Raises:
        LeaseLost: the host was taken over; the sitemap is read again.
        TransientError: the state does not answer.
    """
    visit = Visit(lease.host, ports)
    if lease.robots is not None:
        visit.policies[robots_url(lease.url)] = lease.robots
    answer = await _answer(lease, visit)
    now = ports.clock.now()
    release = visit.release(None if isinstance(answer, _NamedSitemaps) else answer, now)
    if isinstance(answer, Failed) and answer.retryable and _may_retry(lease, ports):
        due_time = now + _retry_delay(lease, ports)
        await ports.frontier.retry_task(lease, due_time=due_time, release=release, now=now)
        return
    if ports.settings.callback_url and lease.kind is TaskKind.SITEMAP:
        await ports.subscriptions.seen(lease, now=now)
    if isinstance(answer, Fetched):
        sitemaps = await _taken_up(lease, answer, ports)
    else:
        sitemaps = (
            answer.sitemaps if isinstance(answer, _NamedSitemaps) else _leading(lease, answer)
        )
    await ports.frontier.finish_task(lease, sitemaps, release=release, now=now)


async def _taken_up(lease: TaskLease, answer: Fetched, ports: FetcherPorts) -> tuple[str, ...]:
    """Gives what a listing says to the job, unless its scope knows all of it; returns its sitemaps.

    Raises:
        TransientError: the state does not answer.
    """
    now, digest = ports.clock.now(), listing_digest(answer)
    taken = await ports.listings.taken(lease, now=now)
    if taken is not None and taken.digest == digest:
        return taken.sitemaps
    found = await _found(lease, answer, ports)
    if found is not None and ports.settings.callback_url:
        hub = named_hub(answer, found)
        # What was held, and comes as a 304, has the headers that it came with no more.
        if hub is not None or answer.exchange is not None:
            await ports.subscriptions.named(lease, hub, now=now)
    found = found or Listing()
    for batch in found.batches(URLS_PER_TRANSACTION):
        await ports.frontier.add_from_sitemap(lease, batch, kind=found.kind, now=now)
    if not found.speaks_of_later(now):
        await ports.listings.keep(lease, TakenListing(digest, found.sitemaps), now=now)
    return found.sitemaps


async def _answer(lease: TaskLease, visit: Visit) -> FetchResult | _NamedSitemaps:
    policy = await visit.policy(lease.url)
    if isinstance(policy, Failed):
        return _NamedSitemaps()
    if lease.kind is TaskKind.ROBOTS:
        named = await off_the_loop(policy, RobotsPolicy.sitemaps)
        recommended = (llms_txt_url(lease.url),) if visit.ports.settings.llms_txt else ()
        return _NamedSitemaps(sitemaps=(*recommended, *_canonical(named)))
    if not await visit.allows(policy, lease.url):
        log.info("sitemap_forbidden", job_id=lease.job_id)
        return _NamedSitemaps()
    return await _listing(lease.url, visit)


async def _listing(url: str, visit: Visit) -> FetchResult:
    """Requests a listing, unless it is as it came last: then that is what comes."""
    ports = visit.ports
    held = await ports.files.held(url)
    answer = await ports.source.fetch_plain(
        request_for(url, held), visit, limit_bytes=LISTING_BYTES_MAX, cut=True
    )
    if isinstance(answer, Fetched) and (answer.etag or answer.last_modified):
        await ports.files.keep(url, held_after(answer, now=ports.clock.now()))
    elif isinstance(answer, Unmodified):
        await ports.files.seen(url, now=ports.clock.now())
    return as_fetched(answer, held)


def _leading(lease: TaskLease, answer: FetchResult) -> tuple[str, ...]:
    """Returns where an answer leads that is no listing."""
    if isinstance(answer, Redirected):
        # Read under the clock of its own host.
        return (answer.target_url,)
    log.info("sitemap_missing", job_id=lease.job_id, answer=type(answer).__name__)
    return ()


async def _found(lease: TaskLease, answer: Fetched, ports: FetcherPorts) -> Listing | None:
    """Returns what a listing names; None where it cannot be read, which is not tried again.

    Raises:
        TransientError: nobody can read it now.
    """
    try:
        found = await ports.listing_reader.read(answer)
    except InvalidInput as error:
        log.info("sitemap_rejected", job_id=lease.job_id, detail=error.message)
        outcome, listing = "rejected", None
    except PermanentError as error:
        log.warning("listing_given_up", job_id=lease.job_id, url=lease.url, detail=error.message)
        outcome, listing = "given_up", None
    else:
        outcome = "truncated" if found.truncated else "read"
        listing = found
    LISTINGS.labels(outcome=outcome).inc()
    return listing


def _canonical(urls: tuple[str, ...]) -> tuple[str, ...]:
    usable = []
    for url in urls[:SITEMAPS_PER_JOB_MAX]:
        try:
            usable.append(canonical_url(url))
        except InvalidInput:
            continue
    return tuple(usable)


def _may_retry(lease: TaskLease, ports: FetcherPorts) -> bool:
    return lease.attempts + 1 < ports.settings.attempts_max


def _retry_delay(lease: TaskLease, ports: FetcherPorts) -> timedelta:
    return timedelta(seconds=ports.settings.retry_first_seconds * RETRY_GROWTH**lease.attempts)
