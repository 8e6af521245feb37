"""The store's searches for one question, all of them within one bound of time.

The first one must succeed: nobody may take silence for absence. A later one that fails or comes
too late leaves what was found before it, and that is told.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from scops.common.contract.errors import StoreUnavailable
from scops.common.observe.log import get_logger
from scops.common.observe.tracing import stage
from scops.libraries.index.ports import StoreHit, StoreQuery
from scops.retriever import metrics
from scops.retriever.ports import RetrieverPorts

log = get_logger("retriever")


@dataclass(slots=True)
class StoreSearches:
    """Searches of one question.

    Attributes:
        count: searches begun.
        failed: a later one did not answer.
    """

    ports: RetrieverPorts
    until: datetime
    count: int = 0
    failed: bool = False

    @classmethod
    def start(cls, ports: RetrieverPorts) -> "StoreSearches":
        """Returns the searches of a question that begins now."""
        return cls(ports, ports.clock.now() + timedelta(seconds=ports.settings.search_seconds))

    async def further(self, query: StoreQuery) -> Sequence[StoreHit] | None:
        """Returns the hits of a search that only adds to others; None where there is no answer."""
        try:
            return await self.first(query)
        except StoreUnavailable as error:
            self.failed = True
            log.warning("search_incomplete", detail=error.message)
            return None

    async def first(self, query: StoreQuery) -> Sequence[StoreHit]:
        """Returns the hits of the search without which there is no answer.

        Raises:
            StoreUnavailable: the store does not answer, or not in time.
        """
        self.count += 1
        left = max((self.until - self.ports.clock.now()).total_seconds(), 0.0)
        try:
            with stage(metrics.STAGE_SECONDS, "search"):
                async with self.ports.time_limit(left):
                    return await self.ports.store.search(query)
        except TimeoutError as error:
            raise StoreUnavailable(
                f"The index did not answer within {self.ports.settings.search_seconds:g} s. Ask "
                "again, or look at what keeps it busy.",
                reason="INDEX_SLOW",
            ) from error
