"""What the fetcher does with each message; all its events leave through the outbox.

Every handler may see its message again, late or out of order: the state's transactions are
idempotent by job, fetch and row.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from scops.common.bus.ports import Cause
from scops.common.contract import service_table
from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import JobId, PageId
from scops.common.contract.long_messages import decode_in_turns
from scops.common.contract.messages import change
from scops.common.contract.messages.content import (
    ExtractionFailed,
    LinkList,
    PageExtracted,
    PageKind,
)
from scops.common.contract.messages.crawl import (
    CancelJob,
    CrawlScope,
    FetchPage,
    PageDead,
    PageFetched,
    PageGone,
    PageUnmodified,
)
from scops.common.contract.messages.explanation import PageCited
from scops.common.contract.messages.index import HeadsVerified, IndexFailed, VersionIndexed
from scops.common.contract.messages.types import RuleKind, Scope
from scops.common.contract.service_table import Lane, Role
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.rules import in_scope
from scops.common.scope.urls import routed_url
from scops.fetcher.discovery.links import followed_urls
from scops.fetcher.frontier.outcomes import (
    BLOCKED_KINDS,
    MALFORMED_URL,
    Ending,
    Outcome,
    indexed_ending,
)
from scops.fetcher.politeness.robots import robots_url
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.ledger import ExtractedPage, NewJob
from scops.fetcher.ports.schedule import PageCheck, SettledChange

Outputs = Sequence[Any]
NOTHING: Outputs = ()

VERDICTS = (
    change.VersionAdded,
    change.VersionUnchanged,
    change.VersionRestored,
    change.VersionClosed,
)
# A job begins and ends by these: one that is given up ends the job that it is about.
COMMANDS = (CrawlScope, FetchPage, CancelJob)
# The outcome of a fetch comes by these: one that is given up on the way ends the fetch.
ON_THE_WAY = (
    PageFetched,
    PageUnmodified,
    PageGone,
    PageExtracted,
    ExtractionFailed,
    *VERDICTS,
    VersionIndexed,
    IndexFailed,
)


def _durables(
    messages: Iterable[type[Any]], *, but: frozenset[str] = frozenset()
) -> frozenset[str]:
    """Returns the durables by which anybody consumes some messages."""
    names = (
        service_table.durable_name(role, service_table.BY_TYPE[message], lane)
        for message in messages
        for role in service_table.BY_TYPE[message].consumers
        for lane in Lane
    )
    return frozenset(names) - but


# The fetcher itself only learns from a verdict.
LESSONS = frozenset(
    service_table.durable_name(Role.FETCHER, service_table.BY_TYPE[verdict], lane)
    for verdict in VERDICTS
    for lane in Lane
)
FETCH_DURABLES = _durables(ON_THE_WAY, but=LESSONS)
JOB_DURABLES = _durables(COMMANDS)
# Whatever else the contract names decides about no fetch and no job.
IDLE_DURABLES = _durables(service_table.BY_TYPE) - FETCH_DURABLES - JOB_DURABLES
# Their links lead to the login or to nothing.
LINKLESS_KINDS = frozenset({PageKind.LOGIN_WALL, PageKind.SOFT_404})
# Link lists that are given in one transaction, which others wait for: some 5,000 links.
LINK_BYTES_TOGETHER_MAX = 512 * 1024
# A page that is asked for may have moved, and its new address again.
MOVES_MAX = 5


async def handle_crawl_scope(command: CrawlScope, cause: Cause, ports: FetcherPorts) -> Outputs:
    """Takes up a crawl: seeds, sitemaps of the scope, and those that robots.txt names.

    Raises:
        NotYetKnown: the scope's revision has not arrived.
    """
    scope = ports.scopes.get(command.scope)
    urls, refused = _usable((*scope.seeds, *_picked_pages(scope)))
    sitemap_urls, broken = _usable(scope.sitemaps)
    settings = ports.settings
    job = NewJob(
        job_id=command.job_id,
        organisation_id=cause.organisation_id,
        access_context=PUBLIC,
        scope=command.scope,
        kind="crawl",
        lane=cause.lane,
        accepted_time=command.accepted_time,
        page_limit=command.page_limit or scope.page_limit or settings.page_limit,
        depth_limit=scope.depth_limit or settings.depth_limit,
        follow_links=True,
        urls=urls,
        refused=refused | broken,
        sitemap_urls=() if scope.deleted else sitemap_urls,
        robots_urls=_robots_urls(scope, urls),
    )
    await ports.ledger.accept(job, now=ports.clock.now())
    return NOTHING


async def handle_fetch_page(command: FetchPage, cause: Cause, ports: FetcherPorts) -> Outputs:
    """Takes up some pages by URL, without following their links.

    Raises:
        NotYetKnown: the scope's revision has not arrived.
    """
    ports.scopes.get(command.scope)
    urls, refused = _usable(command.urls)
    job = NewJob(
        job_id=command.job_id,
        organisation_id=cause.organisation_id,
        access_context=PUBLIC,
        scope=command.scope,
        kind="fetch",
        lane=cause.lane,
        accepted_time=command.accepted_time,
        page_limit=len(urls) * (1 + MOVES_MAX),
        depth_limit=MOVES_MAX,
        follow_links=False,
        urls=urls,
        refused=refused,
    )
    await ports.ledger.accept(job, now=ports.clock.now())
    return NOTHING


async def handle_cancel_job(command: CancelJob, cause: Cause, ports: FetcherPorts) -> Outputs:
    """Ends a job; its open pages end as cancelled. One that has ended stays as it is."""
    await _end_job(ports, command.job_id, Ending(outcome=Outcome.CANCELLED), cause)
    return NOTHING


async def handle_page_extracted(event: PageExtracted, cause: Cause, ports: FetcherPorts) -> Outputs:
    """Gives a page's links to the jobs that wait for them; ends pages of which nothing comes.

    Raises:
        BlobMissing: the archive lacks the links.
    """
    extraction = await _extracted_page(event, ports)
    await ports.ledger.take_extraction(extraction, now=ports.clock.now())
    return NOTHING


async def handle_pages_extracted(
    events: Sequence[tuple[PageExtracted, Cause]], ports: FetcherPorts
) -> Sequence[Outputs | None]:
    """Gives the links of pages that are not blocked, as `handle_page_extracted` each.

    Pages of a site mostly link to the same; long lists are not read here, but page by page.
    """
    plain: list[PageExtracted] = []
    size = 0
    for event, _ in events:
        if event.kind not in BLOCKED_KINDS and size + event.links.size <= LINK_BYTES_TOGETHER_MAX:
            size += event.links.size
            plain.append(event)
    # Side by side: an archive far away costs one wait, not one a page.
    found = await asyncio.gather(*(_extracted_page(event, ports) for event in plain))
    await ports.ledger.take_extractions(found, now=ports.clock.now())
    taken = {event.fetch_id for event in plain}
    return [NOTHING if event.fetch_id in taken else None for event, _ in events]


async def _extracted_page(event: PageExtracted, ports: FetcherPorts) -> ExtractedPage:
    links = LinkList()
    if event.kind not in LINKLESS_KINDS:
        links = await decode_in_turns(LinkList, await ports.archive.get(event.links), "links")
    return ExtractedPage(
        fetch_id=event.fetch_id,
        links=event.links,
        urls=await followed_urls(links),
        pipeline_version=event.pipeline_version,
        blocked_kind=event.kind.value if event.kind in BLOCKED_KINDS else "",
        text_digest=event.text.digest if event.text.size else "",
        stated_url=links.canonical_url,
        feed_urls=links.feed_urls,
    )


async def handle_version_indexed(
    event: VersionIndexed, cause: Cause, ports: FetcherPorts
) -> Outputs:
    """Takes the outcome of a fetch from what the index made of it."""
    ending = indexed_ending(event.outcome, event.reason)
    await ports.ledger.settle(event.fetch_id, ending, now=ports.clock.now())
    return NOTHING


async def handle_versions_indexed(
    events: Sequence[tuple[VersionIndexed, Cause]], ports: FetcherPorts
) -> Sequence[Outputs | None]:
    """Takes the outcomes of fetches that became versions, as `handle_version_indexed` each."""
    indexed = Ending(outcome=Outcome.INDEXED)
    named = [
        event.fetch_id
        for event, _ in events
        if indexed_ending(event.outcome, event.reason) == indexed
    ]
    ended = await ports.ledger.settle_indexed(named, now=ports.clock.now())
    return [NOTHING if event.fetch_id in ended else None for event, _ in events]


async def handle_heads_verified(event: HeadsVerified, cause: Cause, ports: FetcherPorts) -> Outputs:
    """Ends fetches of pages that are as they were; what was not as plain is published alone."""
    now = ports.clock.now()
    await ports.verified.publish_alone(event.unsettled_fetch_ids, now=now)
    await ports.schedule.observe_unchanged(event.fetch_ids, now=now)
    await ports.verified.settle(event.fetch_ids, now=now)
    return NOTHING


async def handle_failed(
    event: ExtractionFailed | IndexFailed, cause: Cause, ports: FetcherPorts
) -> Outputs:
    """Ends a fetch that a stage downstream could not handle."""
    reason = event.reason.lower()
    await ports.ledger.fail(event.fetch_id, event.page_id, reason, now=ports.clock.now())
    return NOTHING


async def handle_page_dead(event: PageDead, cause: Cause, ports: FetcherPorts) -> Outputs:
    """Ends what a given-up message was about: a fetch on its way, or a job by its command.

    Other messages name pages and jobs too, such as `VersionsDropped`: giving up one of those
    says nothing about the fetch that the page awaits.
    """
    now = ports.clock.now()
    reason = event.reason.lower()
    if event.consumer in IDLE_DURABLES:
        return NOTHING
    if (event.page_id or event.fetch_id) and event.consumer not in JOB_DURABLES:
        await ports.ledger.fail(event.fetch_id, event.page_id, reason, now=now)
    elif event.job_id and event.consumer not in FETCH_DURABLES:
        await _end_job(ports, event.job_id, Ending(outcome=Outcome.DEAD, reason=reason), cause)
    return NOTHING


async def _end_job(ports: FetcherPorts, job_id: JobId, ending: Ending, cause: Cause) -> None:
    """Ends a job in as many steps as it takes; what broke off goes on where it was."""
    has_ended = False
    while not has_ended:
        has_ended = await ports.ledger.end_job(
            job_id,
            ending,
            organisation_id=cause.organisation_id,
            lane=cause.lane,
            now=ports.clock.now(),
        )


async def handle_verdict(
    event: change.VersionAdded
    | change.VersionUnchanged
    | change.VersionRestored
    | change.VersionClosed,
    cause: Cause,
    ports: FetcherPorts,
) -> Outputs:
    """Learns from an observation of a page whether it has changed in meaning."""
    checks = {cause.event_id: _check_of(event.verdict)}
    await ports.schedule.observe(checks, now=ports.clock.now())
    return NOTHING


async def handle_versions_added(
    events: Sequence[tuple[change.VersionAdded, Cause]], ports: FetcherPorts
) -> Sequence[Outputs | None]:
    """Learns from observations of different pages, as `handle_verdict` from each."""
    checks = {cause.event_id: _check_of(event.verdict) for event, cause in events}
    await ports.schedule.observe(checks, now=ports.clock.now())
    return [NOTHING] * len(events)


def _check_of(verdict: change.Verdict) -> PageCheck:
    return PageCheck(
        page_id=verdict.page_id,
        observed_time=verdict.observed_time,
        semantic=verdict.summary is not None and verdict.summary.semantic,
        closed=verdict.closed,
        pipeline_changed=verdict.pipeline_changed,
        late=verdict.late,
    )


async def handle_change_settled(
    event: change.ChangeSettled, cause: Cause, ports: FetcherPorts
) -> Outputs:
    """Learns that a page had changed in meaning at a look that was taken for unchanged."""
    settled = SettledChange(
        page_id=event.page_id,
        change_time=event.change_time,
        changed_after_time=event.changed_after_time,
    )
    await ports.schedule.settle(settled, event_id=cause.event_id, now=ports.clock.now())
    return NOTHING


async def handle_page_cited(event: PageCited, cause: Cause, ports: FetcherPorts) -> Outputs:
    """Learns which pages answers lean on."""
    counts: Counter[PageId] = Counter()
    for cited in event.pages:
        if cited.count:
            counts[cited.page_id] += cited.count
    await ports.schedule.cite(counts, event_id=cause.event_id, now=ports.clock.now())
    return NOTHING


def _usable(stated: Iterable[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Returns the canonical URLs, each once, and why others are none."""
    urls: dict[str, None] = {}
    refused: dict[str, str] = {}
    for url in stated:
        try:
            urls[routed_url(url)] = None
        except InvalidInput:
            refused[url] = MALFORMED_URL
    return tuple(urls), refused


def _picked_pages(scope: Scope) -> tuple[str, ...]:
    """Returns the pages that the scope names by hand: whoever picks a page wants it fetched."""
    picked = (rule for rule in scope.rules if rule.kind is RuleKind.PAGE and not rule.exclude)
    return tuple(rule.pattern for rule in picked)


def _robots_urls(scope: Scope, urls: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(robots_url(url) for url in urls if in_scope(scope, url)))
