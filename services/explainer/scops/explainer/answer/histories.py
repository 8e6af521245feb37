"""Histories of pages, each asked once an answer; who has none is told of none."""

from dataclasses import dataclass, field
from datetime import datetime

from scops.common.contract.errors import ScopsError
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import HistoryRequest, HistoryResponse
from scops.common.observe.log import get_logger
from scops.common.query.ports import HISTORY
from scops.explainer import metrics
from scops.explainer.ports import ExplainerPorts

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

    async def get(self, page_id: PageId) -> HistoryResponse:
        """Returns a page's newest versions, newest first; none where they cannot be had."""
        if page_id not in self._known:
            self._known[page_id] = await self._asked(page_id)
        return self._known[page_id]

    async def _asked(self, page_id: PageId) -> HistoryResponse:
        request = HistoryRequest(page_id=page_id, limit=self.ports.settings.history_versions)
        try:
            return await self.ports.query_client.call(HISTORY, request, deadline=self.deadline)
        except ScopsError as error:
            metrics.LINEAGE_MISSING.inc()
            log.warning("lineage_missing", page_id=page_id, detail=error.message)
            return HistoryResponse(page_id=page_id)
