"""Pages that somebody says have changed: they are fetched now, and the word is kept."""

from collections.abc import Sequence

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import SignalPagesRequest, SignalPagesResponse
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.ledger import NewJob

# A page that is told of may have moved, and its new address again.
MOVES_MAX = 5
# Of a listing that is told of: more come with the scope's next look at it.
LISTED_PAGES_MAX = 500


async def signal_pages(request: SignalPagesRequest, ports: FetcherPorts) -> SignalPagesResponse:
    """Takes up the pages as a job in lane now, so that politeness and rules are those of any.

    Raises:
        NotYetKnown: the scope's revision has not arrived.
    """
    ports.scopes.get(request.scope)
    job = signal_job(ports, request.scope, urls=request.urls)
    pages = await ports.pushes.take(job, now=job.accepted_time)
    return SignalPagesResponse(pages=tuple(pages))


def signal_job(
    ports: FetcherPorts, scope: ScopeRef, *, urls: Sequence[str] = (), listing: str = ""
) -> NewJob:
    """Returns the job of pages that are told of, or of a listing that is."""
    now = ports.clock.now()
    return NewJob(
        job_id=JobId(ports.new_id()),
        organisation_id=ports.organisation_id,
        access_context=PUBLIC,
        scope=scope,
        kind="signal",
        lane=Lane.NOW,
        accepted_time=now,
        page_limit=(len(urls) or LISTED_PAGES_MAX) * (1 + MOVES_MAX),
        depth_limit=MOVES_MAX,
        follow_links=False,
        urls=tuple(urls),
        refused={},
        sitemap_urls=(listing,) if listing else (),
    )
