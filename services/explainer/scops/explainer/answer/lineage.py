"""The version lineage of a cited page: its newest versions, the cited one with its diff."""

from collections.abc import Sequence

from scops.common.contract.errors import ScopsError
from scops.common.contract.messages.change import DiffHunk, DiffRequest, HistoryEntry
from scops.common.contract.messages.explanation import LineageEntry
from scops.common.contract.messages.retrieval import Evidence
from scops.common.observe.log import get_logger
from scops.common.query.ports import DIFF
from scops.explainer.answer.histories import PageHistories

log = get_logger("explainer")


async def lineage_of(passage: Evidence, histories: PageHistories) -> tuple[LineageEntry, ...]:
    """Returns the page's newest versions, newest first; the cited one with what it changed.

    A cited version that lies further back takes the last place. What the change-detector does
    not tell is left out.
    """
    settings = histories.ports.settings
    versions = (await histories.get(passage.page_id)).versions
    return tuple(
        [
            LineageEntry(
                version_id=versions[place].version_id,
                observed_time=versions[place].order_key.observed_from,
                summary=versions[place].summary,
                diff=await _diff(versions, place, passage, histories),
                cited=versions[place].version_id == passage.version_id,
            )
            for place in shown_places(versions, passage, settings.lineage_versions)
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
    version, ports = versions[place], histories.ports
    if version.version_id != passage.version_id or place + 1 >= len(versions):
        return ()
    request = DiffRequest(
        page_id=passage.page_id,
        from_version=versions[place + 1].version_id,
        to_version=version.version_id,
        character_limit=ports.settings.diff_characters,
    )
    try:
        diff = await ports.query_client.call(DIFF, request, deadline=histories.deadline)
    except ScopsError as error:
        log.warning("diff_missing", page_id=passage.page_id, detail=error.message)
        return ()
    return diff.hunks
