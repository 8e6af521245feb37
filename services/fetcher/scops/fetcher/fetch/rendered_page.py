"""A page that only scripts fill, as a browser shows it."""

from collections.abc import Sequence
from dataclasses import replace

from scops.common.contract.messages.types import Scope
from scops.common.observe.log import get_logger
from scops.common.scope.limits import NO_RENDERING
from scops.fetcher.fetch.page_parts import PageParts, PartCache, PartFailed
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.leases import PageLease
from scops.fetcher.frontier.outcomes import RENDERINGS_SPENT, Ending, Outcome
from scops.fetcher.metrics import RENDER_SECONDS, RENDERED
from scops.fetcher.ports.browser import Browser, Rendering
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.page_source import Failed, Fetched

log = get_logger("fetcher.rendering")
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
PARTS_MAX = 64
CACHE = PartCache()


def showing_scopes(lease: PageLease, ports: FetcherPorts) -> tuple[Scope, ...]:
    """Returns the scopes that have a page shown by the browser, of those that wait for it.

    Such a scope has all of its pages shown, or does not refuse those that only scripts fill. One
    of them is enough, and pays; the page is fetched without the browser where there is none.

    Raises:
        NotYetKnown: a scope may still arrive.
    """
    if ports.browser is None:
        return ()
    waiting = (ports.scopes.get(ref) for ref in lease.scopes)
    return tuple(
        scope
        for scope in waiting
        if scope.rendered_always or (lease.by_browser and scope.rendered_per_day != NO_RENDERING)
    )


async def rendered_page(
    document: Fetched,
    lease: PageLease,
    visit: Visit,
    browser: Browser,
    *,
    scopes: Sequence[Scope],
) -> Fetched | Failed | Ending:
    """Returns the document that a page's scripts make of what the server sent.

    It has no validators: those of the server say nothing of what the scripts ask for.

    Args:
        scopes: that have it shown; the first that has some left of its day pays.

    Raises:
        LeaseLost: the host was taken over.
        TransientError: the state does not answer.
    """
    if document.media_type not in HTML_TYPES:
        return document
    ports = visit.ports
    if not await ports.renderings.begin(scopes, now=ports.clock.now()):
        RENDERED.labels(result="spent").inc()
        return Ending(outcome=Outcome.BLOCKED, reason=RENDERINGS_SPENT)
    parts = PageParts(
        visit=visit,
        document_url=document.final_url,
        access_context=lease.access_context,
        cache=CACHE,
    )
    with RENDER_SECONDS.time():
        try:
            shown = await browser.render(document, parts.load, parts_max=PARTS_MAX)
        except PartFailed as error:
            shown = error.failure
    log.info("page_rendered", parts=parts.asked)
    if isinstance(shown, Rendering) and not shown.whole:
        shown = _restless(document.final_url)
    RENDERED.labels(result="failed" if isinstance(shown, Failed) else "shown").inc()
    if isinstance(shown, Failed):
        return replace(
            shown, final_url=document.final_url, response_seconds=document.response_seconds
        )
    return replace(
        document,
        body=shown.html.encode(errors="replace"),
        media_type="text/html",
        charset="utf-8",
        etag="",
        last_modified="",
        last_modified_time=None,
        exchange=None,
        came_by="browser",
    )


def _restless(url: str) -> Failed:
    return Failed(
        reason="RENDER_TIMEOUT",
        detail=f"The scripts of {url} do not come to rest. It is tried again later.",
        retryable=True,
    )
