"""Takes in a page as a reader saw it, as if it had been fetched in their access context."""

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.crawl import CapturePageRequest, CapturePageResponse
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.ports.fetcher import FetcherPorts


async def capture_page(request: CapturePageRequest, ports: FetcherPorts) -> CapturePageResponse:
    """Records the capture as a fetch whose result is known.

    Raises:
        InvalidInput: it names no context of its own, nobody who captured it, or no body.
    """
    if request.access_context in ("", PUBLIC) or not request.captured_by or request.body is None:
        raise InvalidInput(
            "A capture has a body, names who captured it, and belongs to a context that is not "
            "public: nobody can check what it says.",
            reason="CAPTURE_MALFORMED",
        )
    return await ports.captures.take(
        request, organisation_id=ports.organisation_id, now=ports.clock.now()
    )
