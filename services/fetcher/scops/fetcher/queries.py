"""What the fetcher answers.

`verify` checks pages now, for somebody who waits with an answer. A page that was checked a moment
ago is not asked again. The others become a job in lane now, so that politeness, rules and
outcomes are those of any fetch; what has no outcome by the deadline is unknown, and is fetched
all the same.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import JobId, PageId
from scops.common.contract.messages.crawl import (
    JobState,
    JobStatusRequest,
    JobStatusResponse,
    KnownUrlsRequest,
    KnownUrlsResponse,
    PageOutcome,
    PagePlanRequest,
    PagePlanResponse,
    PageRisksRequest,
    PageRisksResponse,
    ScopeUseRequest,
    ScopeUseResponse,
    VerifiedPage,
    VerifyOutcome,
    VerifyRequest,
    VerifyResponse,
)
from scops.common.contract.messages.types import Scope, ScopeRef
from scops.common.contract.service_table import Lane
from scops.common.query.deadline import answering_until
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.rules import in_scope
from scops.common.scope.urls import page_url
from scops.fetcher.frontier.outcomes import Outcome
from scops.fetcher.ports.catalogue import CheckablePage
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.ledger import NewJob

VERIFIED_PAGES_MAX = 20
VERIFY_MOVES_MAX = 1
POLL_SECONDS = 0.05
# Kept for the way back of the answer.
MARGIN = timedelta(milliseconds=100)
DEFAULT_WAIT = timedelta(seconds=5)
FOUND = {
    Outcome.INDEXED: VerifyOutcome.CHANGED,
    Outcome.UNCHANGED: VerifyOutcome.UNCHANGED,
    Outcome.GONE: VerifyOutcome.GONE,
    Outcome.JOINED: VerifyOutcome.GONE,
}


async def known_urls(request: KnownUrlsRequest, ports: FetcherPorts) -> KnownUrlsResponse:
    """Lists pages by URL.

    Raises:
        InvalidInput: the page size is negative, or the token is none of ours.
    """
    if request.page_size < 0:
        raise InvalidInput("page_size cannot be negative.", reason="INVALID_PAGE_SIZE")
    return await ports.catalogue.known_urls(request)


async def page_plan(request: PagePlanRequest, ports: FetcherPorts) -> PagePlanResponse:
    """Returns a page by id or URL, without a page where none is known.

    Raises:
        InvalidInput: neither an id nor a usable URL is given.
    """
    url = "" if request.page_id else page_url(request.url)
    contexts = request.access_contexts or (PUBLIC,)
    plan = await ports.catalogue.page_plan(page_id=request.page_id, url=url, contexts=contexts)
    if plan.page is None:
        return plan
    schedule = await ports.schedule.read(plan.page.page_id, now=ports.clock.now())
    return replace(plan, schedule=schedule)


async def page_risks(request: PageRisksRequest, ports: FetcherPorts) -> PageRisksResponse:
    """Returns how likely pages have changed since they were checked."""
    page_ids = [PageId(page_id) for page_id in request.page_ids]
    risks = await ports.schedule.risks(page_ids, now=ports.clock.now())
    return PageRisksResponse(pages=tuple(risks))


async def scope_use(request: ScopeUseRequest, ports: FetcherPorts) -> ScopeUseResponse:
    """Returns how many pages the browser has shown today for a scope, and how many it may.

    Raises:
        NotYetKnown: the scope's revision has not arrived.
    """
    scope = ports.scopes.get(request.scope)
    pages = await ports.renderings.begun(scope.scope_id, now=ports.clock.now())
    most = scope.rendered_per_day or ports.settings.rendered_per_day
    return ScopeUseResponse(
        rendered_pages=pages, rendered_per_day=max(most, 0) if ports.browser is not None else 0
    )


async def job_status(request: JobStatusRequest, ports: FetcherPorts) -> JobStatusResponse:
    """Returns jobs as the ledger holds them; unknown ones are left out."""
    return JobStatusResponse(jobs=tuple(await ports.catalogue.jobs(request.job_ids)))


async def verify(request: VerifyRequest, ports: FetcherPorts) -> VerifyResponse:
    """Says of each page whether it still says what the index holds.

    Raises:
        InvalidInput: too many pages are named.
    """
    if len(request.page_ids) > VERIFIED_PAGES_MAX:
        raise InvalidInput(
            f"verify names {len(request.page_ids)} pages; it may name {VERIFIED_PAGES_MAX}.",
            reason="TOO_MANY_PAGES",
        )
    page_ids = [PageId(page_id) for page_id in request.page_ids]
    known = {page.page_id: page for page in await ports.catalogue.checkable(page_ids)}
    done: dict[PageId, VerifiedPage] = {}
    groups: dict[str, tuple[Scope, list[CheckablePage]]] = {}
    for page_id in page_ids:
        page = known.get(page_id)
        scope = _scope_of(page, ports) if page is not None else None
        if page is None or scope is None:
            reason = "unknown_page" if page is None else "out_of_scope"
            done[page_id] = _unknown(page_id, reason)
        elif _is_recent(page, request.age_seconds_max, ports.clock.now()):
            outcome = VerifyOutcome.GONE if page.gone else VerifyOutcome.UNCHANGED
            done[page_id] = VerifiedPage(
                page_id=page_id, outcome=outcome, checked_time=page.observed_time
            )
        else:
            groups.setdefault(scope.scope_id, (scope, []))[1].append(page)
    found = await asyncio.gather(*(_checked(*group, ports) for group in groups.values()))
    for group in found:
        done.update(group)
    return VerifyResponse(pages=tuple(done[page_id] for page_id in page_ids))


async def _checked(
    scope: Scope, pages: Sequence[CheckablePage], ports: FetcherPorts
) -> Mapping[PageId, VerifiedPage]:
    """Fetches pages of a scope, and waits for what comes of them."""
    job_id = JobId(ports.new_id())
    now = ports.clock.now()
    await ports.ledger.accept(
        NewJob(
            job_id=job_id,
            organisation_id=ports.organisation_id,
            access_context=PUBLIC,
            scope=ScopeRef(scope_id=scope.scope_id, revision=scope.revision),
            kind="verify",
            lane=Lane.NOW,
            accepted_time=now,
            page_limit=len(pages) * (1 + VERIFY_MOVES_MAX),
            depth_limit=VERIFY_MOVES_MAX,
            follow_links=False,
            urls=tuple(dict.fromkeys(page.url for page in pages)),
            refused={},
        ),
        now=now,
    )
    until = (answering_until.get() or now + DEFAULT_WAIT) - MARGIN
    outcomes = await _outcomes(job_id, until, ports)
    return {page.page_id: _verified(page, outcomes.get(page.page_id), ports) for page in pages}


async def _outcomes(
    job_id: JobId, until: datetime, ports: FetcherPorts
) -> Mapping[PageId, PageOutcome]:
    """Returns what a job's pages ended as, when all have or the time is over."""
    while True:
        (job,) = await ports.catalogue.jobs([job_id])
        if job.state is not JobState.RUNNING or ports.clock.now() >= until:
            return {outcome.page_id: outcome for outcome in job.outcomes}
        await ports.clock.sleep(POLL_SECONDS)


def _verified(page: CheckablePage, ended: PageOutcome | None, ports: FetcherPorts) -> VerifiedPage:
    if ended is None or ended.outcome == "open":
        return _unknown(page.page_id, "deadline")
    outcome = FOUND.get(Outcome(ended.outcome))
    if outcome is None:
        return _unknown(page.page_id, ended.reason or ended.outcome)
    return VerifiedPage(
        page_id=page.page_id, outcome=outcome, checked_time=ports.clock.now(), reason=ended.reason
    )


def _unknown(page_id: PageId, reason: str) -> VerifiedPage:
    return VerifiedPage(page_id=page_id, outcome=VerifyOutcome.UNKNOWN, reason=reason)


def _scope_of(page: CheckablePage, ports: FetcherPorts) -> Scope | None:
    """Returns a scope that holds the page: its rules and limits hold for the fetch."""
    return next((scope for scope in ports.scopes.all() if in_scope(scope, page.url)), None)


def _is_recent(page: CheckablePage, seconds: float, now: datetime) -> bool:
    return page.observed_time is not None and now - page.observed_time <= timedelta(seconds=seconds)
