"""Looks up what is known of hits beside their words: their pages' versions, and their wordings.

A page is looked up once for a question, so that its passages are of one version however often the
store is asked. What the store finds by words is looked up while it still compares vectors.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from scops.common.contract.errors import BlobMissing
from scops.common.contract.ids import ChunkId, PageId, VersionId, WordingId
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.types import BodyRef, OrderKey
from scops.common.observe.log import get_logger
from scops.libraries.index.ports import Head, HeadReader, StoreHit
from scops.retriever import metrics
from scops.retriever.candidates.candidate import ListedPage, StandingVersion
from scops.retriever.ports import RetrieverPorts

log = get_logger("retriever")


class PageLookups:
    """What was looked up for one question; `close` it at the end.

    Args:
        as_of: the instant asked for; None for now.
    """

    def __init__(self, ports: RetrieverPorts, as_of: datetime | None) -> None:
        self._ports = ports
        self._as_of = as_of
        # None for a page that has no version, or none that can be read.
        self._pages: dict[PageId, ListedPage | None] = {}
        self._wordings: dict[ChunkId, WordingId | None] = {}
        self._begun: asyncio.Task[None] | None = None

    def begin(self, hits: Sequence[StoreHit]) -> None:
        """Begins to look up hits that will probably be asked for; once for a question."""
        if self._begun is None:
            self._begun = asyncio.create_task(self._look_up(hits))

    async def pages(self, hits: Sequence[StoreHit]) -> Mapping[PageId, ListedPage]:
        """Returns the pages of some hits; those that nothing can be shown of are left out.

        Raises:
            StoreUnavailable: the database or the archive does not answer.
        """
        if self._begun is not None:
            await self._begun
        await self._look_up(hits)
        found = ((hit.page_id, self._pages[hit.page_id]) for hit in hits)
        return {page_id: page for page_id, page in found if page is not None}

    def wording(self, chunk_id: ChunkId) -> WordingId | None:
        """Returns what a chunk says whose page was asked for; None where nobody looked."""
        return self._wordings[chunk_id]

    async def close(self) -> None:
        """Ends what was begun, where the search failed before it was asked for."""
        if self._begun is not None:
            self._begun.cancel()
            await asyncio.gather(self._begun, return_exceptions=True)

    async def _look_up(self, hits: Sequence[StoreHit]) -> None:
        pages = {hit.page_id for hit in hits}.difference(self._pages)
        if pages:
            self._pages |= await self._listed(sorted(pages))
        chunks = [hit.chunk_id for hit in hits if hit.chunk_id not in self._wordings]
        if chunks:
            wordings = await self._ports.mirrors.wordings(chunks)
            self._wordings |= {chunk_id: wordings.get(chunk_id) for chunk_id in chunks}

    async def _listed(self, page_ids: Sequence[PageId]) -> dict[PageId, ListedPage | None]:
        """Returns what each of some pages lists."""
        versions = await standing_versions(self._ports.heads, page_ids, self._as_of)
        manifests = await self._manifests(versions.values())
        return {
            page_id: _page(versions.get(page_id), manifests.get(page_id)) for page_id in page_ids
        }

    async def _manifests(
        self, versions: Iterable[StandingVersion]
    ) -> Mapping[PageId, Manifest | None]:
        found = {one.page_id: self._ports.manifests.kept(one.manifest) for one in versions}
        # Side by side: an archive far away costs one wait, not one a page.
        missing = [one for one in versions if found[one.page_id] is None]
        read = await asyncio.gather(*map(self._manifest, missing))
        names = (one.page_id for one in missing)
        return found | dict(zip(names, read, strict=True))

    async def _manifest(self, version: StandingVersion) -> Manifest | None:
        try:
            return await self._ports.manifests.get(version.manifest)
        except BlobMissing as error:
            # One page that cannot be shown must not hide the others.
            metrics.HITS.labels("unreadable").inc()
            log.warning("manifest_missing", page_id=version.page_id, detail=error.message)
            return None


async def standing_versions(
    reader: HeadReader, page_ids: Sequence[PageId], as_of: datetime | None
) -> Mapping[PageId, StandingVersion]:
    """Returns for each page its head, or what stood at an instant; pages without are left out."""
    if not page_ids:
        return {}
    heads = await reader.heads(page_ids)
    if as_of is None:
        return {
            page_id: _version(head, head.version_id, head.order_key, head.manifest)
            for page_id, head in heads.items()
            if not head.closed and head.manifest is not None
        }
    rows = await reader.standing(page_ids, as_of)
    return {
        page_id: _version(heads[page_id], row.version_id, row.order_key, row.manifest)
        for page_id, row in rows.items()
        if page_id in heads
    }


def _version(
    head: Head, version_id: VersionId, order_key: OrderKey, manifest: BodyRef
) -> StandingVersion:
    current = not head.closed and head.version_id == version_id
    return StandingVersion(
        page_id=head.page_id,
        version_id=version_id,
        order_key=order_key,
        manifest=manifest,
        canonical_url=head.canonical_url,
        access_context=head.access_context,
        verified_time=head.verified_time if current else None,
        visible_time=head.visible_time if current else None,
        superseded=not current,
    )


def _page(version: StandingVersion | None, manifest: Manifest | None) -> ListedPage | None:
    if version is None or manifest is None:
        return None
    positions = {chunk.chunk_id: position for position, chunk in enumerate(manifest.chunks)}
    return ListedPage(version, manifest, positions)
