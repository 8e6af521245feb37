"""What is told of passages whose versions were purged after an answer had cited them.

A bundle is the caller's own copy and opens for ever; what it says of a purged version is told
without its words.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from scops.common.contract.ids import VersionId
from scops.common.contract.messages.explanation import PassageExplanation
from scops.common.contract.messages.retrieval import Evidence
from scops.explainer.answer.lineage import PageHistories

PURGED = "purged"
TOLD = "This passage was purged{day}: its text is not shown any more."


async def purged_versions(
    evidence: Sequence[Evidence], histories: PageHistories
) -> dict[VersionId, datetime | None]:
    """Returns since when versions of passages are purged; those that are kept are left out."""
    found: dict[VersionId, datetime | None] = {}
    for passage in evidence:
        history = await histories.to(passage.page_id, passage.version_id)
        for version in history.versions:
            if version.version_id == passage.version_id and version.dropped_reason == PURGED:
                found[version.version_id] = version.dropped_time
    return found


def without_words(passage: Evidence) -> Evidence:
    """Returns a passage without what its page said."""
    return replace(passage, text="", title="", section_path=(), graph_path=(), time_match=None)


def told_as_purged(explained: PassageExplanation, since: datetime | None) -> PassageExplanation:
    """Returns an explanation that says that the passage was purged."""
    day = f" on {since.date().isoformat()}" if since else ""
    return replace(explained, rationale=TOLD.format(day=day), lineage=())
