"""Pages as readers saw them, in their browsers or in files."""

from datetime import datetime
from typing import Protocol

from scops.common.contract.messages.crawl import CapturePageRequest, CapturePageResponse


class Captures(Protocol):
    """Takes captures in as fetches whose results are known; each is one transaction."""

    async def take(
        self, capture: CapturePageRequest, *, organisation_id: str, now: datetime
    ) -> CapturePageResponse:
        """Records a capture and sends its event, in the lane of those who wait.

        The page that it is of belongs to the capture's context: the same URL is another page
        where it is fetched. A page has one observation on its way at a time; a capture that is
        known changes nothing. One without a body closes its page.

        Raises:
            NotFound: it has no body, and the page was never captured.
        """
        ...
