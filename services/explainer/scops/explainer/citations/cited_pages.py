"""Which pages answers cited, published once a minute and without a word of what was asked.

Noting costs an answer nothing but a count in memory. A process that dies takes at most a minute
of counts with it: demand is a habit of many answers, not a ledger.
"""

import random
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from scops.common.bus.ports import Outgoing, Publisher
from scops.common.contract import ids
from scops.common.contract.ids import PageId, VersionId, event_id
from scops.common.contract.messages.explanation import Citation, CitedPage, PageCited
from scops.common.contract.service_table import Lane, Role

# Kept below the size of an event; the most cited of a minute are told.
PAGES_MAX = 500


class CitedPages:
    """Counts of citations since they were last published."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[PageId, VersionId]] = Counter()
        self._since: datetime | None = None
        self._unpublished: Outgoing | None = None

    def count(self, citations: Sequence[Citation], *, now: datetime) -> None:
        """Counts the pages of an answer, each once; a superseded version counts nothing."""
        if self._since is None:
            self._since = now
        for entry in {(entry.page_id, entry.version_id): entry for entry in citations}.values():
            self._counts[entry.page_id, entry.version_id] += int(not entry.superseded)

    async def publish(
        self, publisher: Publisher, *, organisation_id: str, now: datetime, chance: random.Random
    ) -> None:
        """Publishes what was counted; what could not be published is tried again as it was.

        Raises:
            TransientError: the bus does not answer.
        """
        if self._unpublished is None:
            self._unpublished = self._taken(organisation_id, now, chance)
        if self._unpublished is not None:
            await publisher.publish(self._unpublished)
            self._unpublished = None

    def _taken(self, organisation_id: str, now: datetime, chance: random.Random) -> Outgoing | None:
        if not self._counts or self._since is None:
            return None
        pages = tuple(
            CitedPage(page_id=page_id, version_id=version_id, count=count)
            for (page_id, version_id), count in self._counts.most_common(PAGES_MAX)
        )
        message = PageCited(pages=pages, from_time=self._since, to_time=now)
        self._counts.clear()
        self._since = None
        cause = ids.uuid7(now, chance.randbytes(10))
        return Outgoing(
            message=message,
            event_id=event_id(Role.EXPLAINER.value, cause, 0),
            organisation_id=organisation_id,
            lane=Lane.BULK,
        )
