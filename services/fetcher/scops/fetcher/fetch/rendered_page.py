"""A page that only scripts fill, as a browser shows it."""

from dataclasses import replace

from scops.common.observe.log import get_logger
from scops.fetcher.fetch.page_parts import PageParts, PartCache, PartFailed
from scops.fetcher.fetch.visit import Visit
from scops.fetcher.frontier.leases import PageLease
from scops.fetcher.frontier.outcomes import RENDERINGS_SPENT, Ending, Outcome
from scops.fetcher.metrics import RENDER_SECONDS, RENDERED
from scops.fetcher.ports.browser import Browser, Rendering
from scops.fetcher.ports.page_source import Failed, Fetched

log = get_logger("fetcher.rendering")
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
PARTS_MAX = 64
CACHE = PartCache()


async def rendered_page(
    document: Fetched, lease: PageLease, visit: Visit, browser: Browser
) -> Fetched | Failed | Ending:
    """Returns the document that a page's scripts make of what the server sent.

    It has no validators: those of the server say nothing of what the scripts ask for.

    Raises:
        LeaseLost: the host was taken over.
        TransientError: the state does not answer.
    """
    if document.media_type not in HTML_TYPES:
        return document
    ports = visit.ports
    if not await ports.renderings.begin(lease.scopes, now=ports.clock.now()):
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
