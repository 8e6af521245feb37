"""Pages that somebody says have changed: they are fetched now, and the word is kept."""

from scops.common.contract.ids import JobId
from scops.common.contract.messages.crawl import SignalPagesRequest, SignalPagesResponse
from scops.common.contract.service_table import Lane
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.ledger import NewJob

# A page that is told of may have moved, and its new address again.
MOVES_MAX = 5


async def signal_pages(request: SignalPagesRequest, ports: FetcherPorts) -> SignalPagesResponse:
    """Takes up the pages as a job in lane now, so that politeness and rules are those of any.

    Raises:
        NotYetKnown: the scope's revision has not arrived.
    """
    ports.scopes.get(request.scope)
    now = ports.clock.now()
    job = NewJob(
        job_id=JobId(ports.new_id()),
        organisation_id=ports.organisation_id,
        access_context=PUBLIC,
        scope=request.scope,
        kind="signal",
        lane=Lane.NOW,
        accepted_time=now,
        page_limit=len(request.urls) * (1 + MOVES_MAX),
        depth_limit=MOVES_MAX,
        follow_links=False,
        urls=request.urls,
        refused={},
    )
    return SignalPagesResponse(pages=tuple(await ports.pushes.take(job, now=now)))
