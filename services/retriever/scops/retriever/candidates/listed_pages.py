"""Looks up which hits may be shown, of which version of their page, and reads manifests.

The rows of chunks tell what heads list now; what a page listed at an instant, its manifest of then
alone tells. A question without an instant reads manifests for what it shows, or needs to rank by.
What the store finds by words is looked up while it still compares vectors.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.contract.errors import BlobMissing
from scops.common.contract.ids import ChunkId, PageId, VersionId, WordingId
from scops.common.contract.messages.change import Manifest
from scops.common.contract.messages.retrieval import ScopeMatch
from scops.common.contract.messages.types import BodyRef, OrderKey
from scops.common.observe.log import get_logger
from scops.libraries.index.manifest_reader import ManifestReader
from scops.libraries.index.ports import Head, HeadReader, StoreHit
from scops.retriever import metrics
from scops.retriever.candidates.candidate import Candidate, ListedPage, StandingVersion
from scops.retriever.candidates.scope_rules import live_scopes, version_matches
from scops.retriever.ports import RetrieverPorts
from scops.retriever.question import Question

log = get_logger("retriever")


@dataclass(frozen=True, slots=True)
class ChunkListing:
    """The version that counts for a hit, and lists its chunk.

    Attributes:
        page: what that version lists; None where rows said so.
        wording_id: what the chunk says; None where that was never recorded.
    """

    version: StandingVersion
    page: ListedPage | None = None
    wording_id: WordingId | None = None


class HitLookups:
    """What was looked up for one question: a chunk once, a page of one version; `close` it.

    Args:
        as_of: the instant asked for; None for now.
    """

    def __init__(self, ports: RetrieverPorts, as_of: datetime | None) -> None:
        self._ports = ports
        self._as_of = as_of
        # None for a chunk that no version which counts lists.
        self._listings: dict[ChunkId, ChunkListing | None] = {}
        self._versions: dict[PageId, StandingVersion] = {}
        # None for a page that had no version, or none that can be read.
        self._pages: dict[PageId, ListedPage | None] = {}
        self._begun: asyncio.Task[None] | None = None

    def begin(self, hits: Sequence[StoreHit]) -> None:
        """Begins to look up hits that will probably be asked for; once for a question."""
        if self._begun is None:
            self._begun = asyncio.create_task(self._look_up(hits))

    async def listings(self, hits: Sequence[StoreHit]) -> Mapping[ChunkId, ChunkListing]:
        """Returns what is known of some hits; those that no version lists are left out.

        Raises:
            StoreUnavailable: the database or the archive does not answer.
        """
        if self._begun is not None:
            await self._begun
        await self._look_up(hits)
        found = ((hit.chunk_id, self._listings[hit.chunk_id]) for hit in hits)
        return {chunk_id: listing for chunk_id, listing in found if listing is not None}

    async def close(self) -> None:
        """Ends what was begun, where the search failed before it was asked for."""
        if self._begun is not None:
            self._begun.cancel()
            await asyncio.gather(self._begun, return_exceptions=True)

    async def _look_up(self, hits: Sequence[StoreHit]) -> None:
        new = [hit for hit in hits if hit.chunk_id not in self._listings]
        if not new:
            return
        if self._as_of is None:
            await self._look_up_now([hit.chunk_id for hit in new])
        else:
            await self._look_up_then(new, self._as_of)

    async def _look_up_now(self, chunk_ids: Sequence[ChunkId]) -> None:
        rows = await self._ports.heads.listed(chunk_ids)
        for chunk_id in chunk_ids:
            row = rows.get(chunk_id)
            version = None if row is None else _current(row.head)
            if row is None or version is None:
                self._listings[chunk_id] = None
                continue
            # A head that has moved since the question's first look shows nothing new to it.
            known = self._versions.setdefault(version.page_id, version)
            same = known.version_id == version.version_id
            listing = ChunkListing(known, wording_id=row.wording_id)
            self._listings[chunk_id] = listing if same else None

    async def _look_up_then(self, hits: Sequence[StoreHit], at: datetime) -> None:
        page_ids = sorted({hit.page_id for hit in hits}.difference(self._pages))
        versions = await _versions_at(self._ports.heads, page_ids, at)
        pages = await read_pages(versions.values(), self._ports.manifests)
        self._pages |= {page_id: pages.get(page_id) for page_id in page_ids}
        wordings = await self._ports.mirrors.wordings([hit.chunk_id for hit in hits])
        for hit in hits:
            page = self._pages[hit.page_id]
            listing = None
            if page is not None and hit.chunk_id in page.positions:
                listing = ChunkListing(page.version, page, wordings.get(hit.chunk_id))
            self._listings[hit.chunk_id] = listing


async def opened(
    candidates: Sequence[Candidate],
    question: Question,
    ports: RetrieverPorts,
    *,
    pages: frozenset[PageId],
) -> list[Candidate]:
    """Returns the candidates, those of some pages with what their manifests tell.

    Left out is one whose manifest cannot be read or does not list it after all, and, of those with
    a manifest, one that no scope asked for lets out any more.

    Raises:
        StoreUnavailable: the archive does not answer.
    """
    wanted = {one.version.page_id: one.version for one in candidates if one.listed is None}
    read = await read_pages((wanted[page] for page in pages & wanted.keys()), ports.manifests)
    # Read after the wait: a rule that was removed meanwhile lets nothing out.
    scopes = live_scopes(question.scopes, ports.scope_book)
    matches: dict[PageId, tuple[ScopeMatch, ...]] = {}
    kept = []
    for one in candidates:
        page_id = one.version.page_id
        page = one.listed or read.get(page_id)
        if page is None:
            if page_id not in pages:
                kept.append(one)
            continue
        if page_id not in matches:
            matches[page_id] = version_matches(scopes, page.version)
        if matches[page_id] and one.hit.chunk_id in page.positions:
            kept.append(replace(one, listed=page, scopes=matches[page_id]))
    return kept


async def all_opened(
    candidates: Sequence[Candidate], question: Question, ports: RetrieverPorts
) -> list[Candidate]:
    """Returns the candidates with what their manifests tell; see `opened`."""
    pages = frozenset(one.version.page_id for one in candidates)
    return await opened(candidates, question, ports, pages=pages)


async def read_pages(
    versions: Iterable[StandingVersion], manifests: ManifestReader
) -> Mapping[PageId, ListedPage]:
    """Returns what the manifests of some versions list; those that the archive lacks are left out.

    Raises:
        StoreUnavailable: the archive does not answer.
    """
    versions = list(versions)
    # Side by side: an archive far away costs one wait, not one a page.
    read = await asyncio.gather(*(_manifest(one, manifests) for one in versions))
    pairs = zip(versions, read, strict=True)
    return {one.page_id: _page(one, manifest) for one, manifest in pairs if manifest is not None}


async def _manifest(version: StandingVersion, manifests: ManifestReader) -> Manifest | None:
    try:
        return await manifests.get(version.manifest)
    except BlobMissing as error:
        # One page that cannot be shown must not hide the others.
        metrics.HITS.labels("unreadable").inc()
        log.warning("manifest_missing", page_id=version.page_id, detail=error.message)
        return None


async def _versions_at(
    reader: HeadReader, page_ids: Sequence[PageId], at: datetime
) -> Mapping[PageId, StandingVersion]:
    """Returns for each page what stood at an instant; pages without are left out."""
    if not page_ids:
        return {}
    heads = await reader.heads(page_ids)
    rows = await reader.standing(page_ids, at)
    return {
        page_id: _version(heads[page_id], row.version_id, row.order_key, row.manifest)
        for page_id, row in rows.items()
        if page_id in heads
    }


def _current(head: Head) -> StandingVersion | None:
    if head.closed or head.manifest is None:
        return None
    return _version(head, head.version_id, head.order_key, head.manifest)


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


def _page(version: StandingVersion, manifest: Manifest) -> ListedPage:
    positions = {chunk.chunk_id: position for position, chunk in enumerate(manifest.chunks)}
    return ListedPage(version, manifest, positions)
