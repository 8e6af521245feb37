"""Which version of a page counts for a question: its head, or what stood at an instant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.types import BodyRef, Clocks, OrderKey, StatedTime
from scops.libraries.index.ports import Head, HeadReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One page's version for one question.

    Attributes:
        canonical_url: the page's newest, also for an earlier version.
        superseded: the page's head has moved on from this version, or is closed.
    """

    page_id: PageId
    version_id: VersionId
    order_key: OrderKey
    manifest: BodyRef
    canonical_url: str
    access_context: str
    verified_time: datetime | None
    visible_time: datetime | None
    superseded: bool

    def clocks(self, stated: tuple[StatedTime, ...]) -> Clocks:
        """Returns the four clocks of the version."""
        return Clocks(
            observed_time=self.order_key.observed_from,
            verified_time=self.verified_time,
            visible_time=self.visible_time,
            stated=stated,
        )


async def standing_versions(
    reader: HeadReader, page_ids: Sequence[PageId], as_of: datetime | None
) -> Mapping[PageId, Standing]:
    """Returns for each page the version that counts; pages without one are left out."""
    if not page_ids:
        return {}
    heads = await reader.heads(page_ids)
    if as_of is None:
        return {
            page_id: _standing(head, head.version_id, head.order_key, head.manifest)
            for page_id, head in heads.items()
            if not head.closed and head.manifest is not None
        }
    rows = await reader.standing(page_ids, as_of)
    return {
        page_id: _standing(heads[page_id], row.version_id, row.order_key, row.manifest)
        for page_id, row in rows.items()
        if page_id in heads
    }


def _standing(
    head: Head, version_id: VersionId, order_key: OrderKey, manifest: BodyRef
) -> Standing:
    current = not head.closed and head.version_id == version_id
    return Standing(
        page_id=head.page_id,
        version_id=version_id,
        order_key=order_key,
        manifest=manifest,
        canonical_url=head.canonical_url,
        access_context=head.access_context,
        # Nobody keeps when an earlier version was last verified or became visible.
        verified_time=head.verified_time if current else None,
        visible_time=head.visible_time if current else None,
        superseded=not current,
    )
