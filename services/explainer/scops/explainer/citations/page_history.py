"""A page's versions back to the one that is cited, however many came after it."""

from dataclasses import replace
from datetime import datetime

from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import HistoryRequest, HistoryResponse
from scops.common.query.ports import HISTORY, QueryClient

# Of one reply of the change-detector, which gives no more.
VERSIONS_AT_ONCE = 500


async def history_to(
    page_id: PageId, version_id: VersionId, client: QueryClient, *, deadline: datetime
) -> HistoryResponse:
    """Returns a page's versions, newest first, at least to one of them.

    Returns:
        Every version of the page where it has none of this id.

    Raises:
        NotFound: nothing of the page is known.
        ScopsError: as the change-detector raised it, or the time is over.
    """
    request = HistoryRequest(page_id=page_id, limit=VERSIONS_AT_ONCE)
    history = await client.call(HISTORY, request, deadline=deadline)
    return await longer_history(page_id, history, version_id, client, deadline=deadline)


async def longer_history(
    page_id: PageId,
    history: HistoryResponse,
    version_id: VersionId,
    client: QueryClient,
    *,
    deadline: datetime,
) -> HistoryResponse:
    """Returns a history that goes on until it holds a version, or has an end.

    Raises:
        ScopsError: as `history_to`.
    """
    while history.truncated and not any(v.version_id == version_id for v in history.versions):
        request = HistoryRequest(
            page_id=page_id,
            limit=VERSIONS_AT_ONCE,
            before=history.versions[-1].order_key,
        )
        older = await client.call(HISTORY, request, deadline=deadline)
        versions = (*history.versions, *older.versions)
        history = replace(history, versions=versions, truncated=older.truncated)
    return history
