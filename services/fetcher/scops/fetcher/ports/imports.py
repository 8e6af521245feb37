"""What pages showed in the past, as another installation recorded it."""

from datetime import datetime
from typing import Protocol

from scops.common.contract.messages.crawl import ImportedObservation, ImportOutcome


class Imports(Protocol):
    """Takes observations in as fetches whose results are known; each is one transaction."""

    async def take(
        self, seen: ImportedObservation, *, organisation_id: str, now: datetime
    ) -> ImportOutcome:
        """Records an observation of a page and sends its event, in the lane of crawls.

        A page has one observation on its way at a time, so that they are handled in the order in
        which they are given. One that is known changes nothing.
        """
        ...
