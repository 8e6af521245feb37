"""Pages that somebody says have changed, unasked."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from scops.common.contract.messages.crawl import SignalledUrl
from scops.fetcher.ports.ledger import NewJob


class Pushes(Protocol):
    """Takes word of changed pages in; each call is one transaction."""

    async def take(self, job: NewJob, *, now: datetime) -> Sequence[SignalledUrl]:
        """Records a job for the URLs that its scope holds, and the word of those known as public.

        A scope is told of a bounded number within an hour; those above it are not taken up. A
        job without URLs reads its listings, and takes up what they say has changed.

        Returns:
            What is done with each of the job's URLs, in their order.
        """
        ...
