"""Histories of cited pages, and the lineage that an explanation shows of them.

The change-detector is asked once a page and answer; what it does not tell is left out.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import (
    DiffHunk,
    DiffRequest,
    HistoryEntry,
    HistoryRequest,
    HistoryResponse,
)
from scops.common.contract.messages.explanation import LineageEntry
from scops.common.contract.messages.retrieval import Evidence
from scops.common.observe.log import get_logger
from scops.common.query.ports import DIFF, HISTORY
from scops.explainer import metrics
from scops.explainer.citations.page_history import longer_history
from scops.explainer.ports import ExplainerPorts

# Newest versions of a page that are asked for at first, and those that are shown.
HISTORY_VERSIONS = 200
LINEAGE_VERSIONS = 5
DIFF_CHARACTERS = 600
# Longest wait for all lineages of one explanation, and for histories where none is asked for.
LINEAGE_SECONDS = 2.0
FRESHNESS_SECONDS = 0.5
log = get_logger("explainer")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHistories:
    """The newest versions of pages.

    An answer without lineage is better than none: a change-detector that does not answer is
    logged, and asked no more for the same page.
    """

    deadline: datetime
    ports: ExplainerPorts
    _known: dict[PageId, HistoryResponse] = field(default_factory=dict)

    @classmethod
    def within(cls, seconds: float, ports: ExplainerPorts) -> "PageHistories":
        """Returns histories that are all waited for together, no longer than that."""
        return cls(deadline=ports.clock.now() + timedelta(seconds=seconds), ports=ports)

    async def get(self, page_id: PageId) -> HistoryResponse:
        """Returns a page's newest versions, newest first; none where they cannot be had."""
        if page_id not in self._known:
            request = HistoryRequest(page_id=page_id, limit=HISTORY_VERSIONS)
            asked = self.ports.query_client.call(HISTORY, request, deadline=self.deadline)
            self._known[page_id] = await self._told(asked, HistoryResponse(page_id=page_id))
        return self._known[page_id]

    async def to(self, page_id: PageId, version_id: VersionId) -> HistoryResponse:
        """Returns a page's versions, newest first, back to one however far it lies."""
        known = await self.get(page_id)
        client = self.ports.query_client
        longer = longer_history(page_id, known, version_id, client, deadline=self.deadline)
        self._known[page_id] = await self._told(longer, replace(known, truncated=False))
        return self._known[page_id]

    async def _told(
        self, asked: Awaitable[HistoryResponse], otherwise: HistoryResponse
    ) -> HistoryResponse:
        try:
            return await asked
        except ScopsError as error:
            metrics.LINEAGE_MISSING.inc()
            log.warning("lineage_missing", page_id=otherwise.page_id, detail=error.message)
            return otherwise


async def lineage_of(passage: Evidence, histories: PageHistories) -> tuple[LineageEntry, ...]:
    """Returns the page's newest versions, newest first; the cited one with what it changed.

    A cited version that lies further back takes the last place. What the change-detector does
    not tell is left out.
    """
    versions = (await histories.to(passage.page_id, passage.version_id)).versions
    return tuple(
        [
            LineageEntry(
                version_id=versions[place].version_id,
                observed_time=versions[place].order_key.observed_from,
                summary=versions[place].summary,
                diff=await _diff(versions, place, passage, histories),
                cited=versions[place].version_id == passage.version_id,
            )
            for place in shown_places(versions, passage, LINEAGE_VERSIONS)
        ]
    )


def shown_places(versions: Sequence[HistoryEntry], passage: Evidence, count: int) -> list[int]:
    """Returns which versions are shown: the newest, and the cited one wherever it lies."""
    places = list(range(min(count, len(versions))))
    cited = next(
        (i for i, version in enumerate(versions) if version.version_id == passage.version_id), None
    )
    if cited is not None and cited not in places:
        places[-1] = cited
    return places


async def _diff(
    versions: Sequence[HistoryEntry], place: int, passage: Evidence, histories: PageHistories
) -> tuple[DiffHunk, ...]:
    version = versions[place]
    if version.version_id != passage.version_id or place + 1 >= len(versions):
        return ()
    request = DiffRequest(
        page_id=passage.page_id,
        from_version=versions[place + 1].version_id,
        to_version=version.version_id,
        character_limit=DIFF_CHARACTERS,
    )
    return await diff_hunks(request, histories.ports, deadline=histories.deadline)


async def diff_hunks(
    request: DiffRequest, ports: ExplainerPorts, *, deadline: datetime
) -> tuple[DiffHunk, ...]:
    """Returns the hunks between two versions; none where the change-detector does not answer."""
    try:
        return (await ports.query_client.call(DIFF, request, deadline=deadline)).hunks
    except ScopsError as error:
        log.warning("diff_missing", page_id=request.page_id, detail=error.message)
        return ()
