"""What a verdict asks of the index, given what the index knows: which versions, which chunks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import VersionId
from scops.common.contract.messages.change import Verdict, VersionRow
from scops.common.contract.messages.types import OrderKey
from scops.indexer.objects.interval import VersionInterval, interval_of
from scops.libraries.index.ports import Head


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexTarget:
    """The versions that a verdict brings in.

    Attributes:
        versions: rows to write; what the index holds already in a newer state stays.
        current: the version the head is to move to; None when it closes or stands there.
        moves: the head stands before the verdict's key.
        unindexed: versions whose chunks must be looked at: new ones, and those whose stay turned
            out longer, so that an interval in the history may have become too narrow.
    """

    versions: tuple[VersionRow, ...]
    current: VersionRow | None
    moves: bool
    unindexed: tuple[VersionRow, ...]


def order(key: OrderKey) -> tuple[datetime, int]:
    """Returns what order keys are compared by."""
    return key.observed_from, key.revision


def is_purged(verdict: Verdict, purged_through: datetime | None) -> bool:
    """Returns whether the state that a verdict wants is one that a purge has dropped.

    A closed page has no text that could come back.
    """
    return (
        purged_through is not None
        and not verdict.closed
        and verdict.order_key.observed_from <= purged_through
    )


def without_purged(verdict: Verdict, purged_through: datetime | None) -> Verdict:
    """Returns a verdict without the rows of versions that are purged."""
    if purged_through is None:
        return verdict
    kept = (row for row in verdict.versions if row.order_key.observed_from > purged_through)
    return replace(verdict, versions=tuple(kept))


def target_of(
    verdict: Verdict, head: Head | None, intervals: Mapping[VersionId, VersionInterval]
) -> IndexTarget:
    """Compares a verdict with what the index knows.

    Args:
        intervals: of those of the verdict's versions that the index knows.

    Raises:
        InvalidInput: the verdict names neither a closed page nor a manifest.
    """
    versions = _rows_of(verdict)
    moves = head is None or order(verdict.order_key) > order(head.order_key)
    named = {row.version_id: row for row in versions}
    unindexed = tuple(
        row
        for row in versions
        if row.version_id not in intervals or not intervals[row.version_id].holds(interval_of(row))
    )
    return IndexTarget(
        versions=versions,
        current=named[verdict.version_id] if moves and not verdict.closed else None,
        moves=moves,
        unindexed=unindexed,
    )


def version_ids(verdict: Verdict) -> tuple[VersionId, ...]:
    """Returns the versions that a verdict names, each once, in its order."""
    named = [row.version_id for row in verdict.versions]
    current = [verdict.version_id] if verdict.version_id else []
    return tuple(dict.fromkeys(named + current))


def _rows_of(verdict: Verdict) -> tuple[VersionRow, ...]:
    """Returns the verdict's rows, and one for its current version where it lacks that."""
    if verdict.closed or any(row.version_id == verdict.version_id for row in verdict.versions):
        return verdict.versions
    if verdict.manifest is None or not verdict.version_id:
        raise InvalidInput(
            f"The verdict on page {verdict.page_id} is open but names no manifest.",
            reason="MANIFEST_UNNAMED",
        )
    # Revision 0 gives way to whatever the change-detector says of this row later.
    current = VersionRow(
        version_id=verdict.version_id,
        order_key=verdict.order_key,
        manifest=verdict.manifest,
        row_revision=0,
    )
    return (*verdict.versions, current)
