"""Takes in a page as a reader saw it, or a file, as if it had been fetched in their context."""

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.crawl import CapturePageRequest, CapturePageResponse
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.ports.fetcher import FetcherPorts


async def capture_page(request: CapturePageRequest, ports: FetcherPorts) -> CapturePageResponse:
    """Records the capture as a fetch whose result is known; without a body the page is gone.

    Raises:
        InvalidInput: it names no context of its own, or nobody who captured it.
        NotFound: a page is gone that was never captured.
    """
    if request.access_context in ("", PUBLIC) or not request.captured_by:
        raise InvalidInput(
            "A capture names who captured it, and belongs to a context that is not public: "
            "nobody can check what it says.",
            reason="CAPTURE_MALFORMED",
        )
    return await ports.captures.take(
        request, organisation_id=ports.organisation_id, now=ports.clock.now()
    )
