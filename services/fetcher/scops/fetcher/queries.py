"""What the fetcher answers."""

from dataclasses import replace

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import (
    JobStatusRequest,
    JobStatusResponse,
    KnownUrlsRequest,
    KnownUrlsResponse,
    PagePlanRequest,
    PagePlanResponse,
    PageRisksRequest,
    PageRisksResponse,
)
from scops.common.scope.urls import canonical_url
from scops.fetcher.ports.fetcher import Ports


async def known_urls(request: KnownUrlsRequest, ports: Ports) -> KnownUrlsResponse:
    """Lists pages by URL.

    Raises:
        InvalidInput: the page size is negative, or the token is none of ours.
    """
    if request.page_size < 0:
        raise InvalidInput("page_size cannot be negative.", reason="INVALID_PAGE_SIZE")
    return await ports.catalogue.known_urls(request)


async def page_plan(request: PagePlanRequest, ports: Ports) -> PagePlanResponse:
    """Returns a page by id or URL, without a page where none is known.

    Raises:
        InvalidInput: neither an id nor a usable URL is given.
    """
    url = "" if request.page_id else canonical_url(request.url)
    plan = await ports.catalogue.page_plan(page_id=request.page_id, url=url)
    if plan.page is None:
        return plan
    schedule = await ports.schedule.read(plan.page.page_id, now=ports.clock.now())
    return replace(plan, schedule=schedule)


async def page_risks(request: PageRisksRequest, ports: Ports) -> PageRisksResponse:
    """Returns how likely pages have changed since they were checked."""
    page_ids = [PageId(page_id) for page_id in request.page_ids]
    risks = await ports.schedule.risks(page_ids, now=ports.clock.now())
    return PageRisksResponse(pages=tuple(risks))


async def job_status(request: JobStatusRequest, ports: Ports) -> JobStatusResponse:
    """Returns jobs as the ledger holds them; unknown ones are left out."""
    return JobStatusResponse(jobs=tuple(await ports.catalogue.jobs(request.job_ids)))
