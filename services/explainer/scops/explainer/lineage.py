"""The version lineage of a cited page: its newest versions, the cited one with its diff."""

from collections.abc import Sequence
from datetime import datetime

from scops.common.errors import ScopsError
from scops.common.log import get_logger
from scops.common.messages.change import DiffHunk, DiffRequest, HistoryEntry, HistoryRequest
from scops.common.messages.explanation import LineageEntry
from scops.common.messages.retrieval import Evidence
from scops.common.query.ports import DIFF, HISTORY
from scops.explainer import metrics
from scops.explainer.ports import Ports

log = get_logger("explainer")


async def lineage_of(
    passage: Evidence, deadline: datetime, ports: Ports
) -> tuple[LineageEntry, ...]:
    """Returns the page's newest versions, newest first; the cited one with what it changed.

    A cited version that lies further back takes the last place. An explanation without lineage
    is better than none: what the change-detector does not tell is left out.
    """
    request = HistoryRequest(page_id=passage.page_id, limit=ports.settings.history_versions)
    try:
        history = await ports.query_client.call(HISTORY, request, deadline=deadline)
    except ScopsError as error:
        metrics.LINEAGE_MISSING.inc()
        log.warning("lineage_missing", page_id=passage.page_id, detail=error.message)
        return ()
    versions = history.versions
    return tuple(
        [
            LineageEntry(
                version_id=versions[place].version_id,
                observed_time=versions[place].order_key.observed_from,
                summary=versions[place].summary,
                diff=await _diff(versions, place, passage, deadline, ports),
                cited=versions[place].version_id == passage.version_id,
            )
            for place in shown_places(versions, passage, ports.settings.lineage_versions)
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
    versions: Sequence[HistoryEntry],
    place: int,
    passage: Evidence,
    deadline: datetime,
    ports: Ports,
) -> tuple[DiffHunk, ...]:
    version = versions[place]
    if version.version_id != passage.version_id or place + 1 >= len(versions):
        return ()
    request = DiffRequest(
        page_id=passage.page_id,
        from_version=versions[place + 1].version_id,
        to_version=version.version_id,
        character_limit=ports.settings.diff_characters,
    )
    try:
        return (await ports.query_client.call(DIFF, request, deadline=deadline)).hunks
    except ScopsError as error:
        log.warning("diff_missing", page_id=passage.page_id, detail=error.message)
        return ()
