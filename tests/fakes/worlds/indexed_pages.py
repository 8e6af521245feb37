"""Builds an index with its archive, as the indexer leaves them, for those who read them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, update

from scops.common.archive.opening import open_archive
from scops.common.archive.ports import Archive
from scops.common.contract import ids, wire
from scops.common.contract.ids import ChunkId, LineageId, PageId, VersionId
from scops.common.contract.messages.change import ChunkOrigin, Manifest, ManifestChunk
from scops.common.contract.messages.content import Block, BlockKind, Document
from scops.common.contract.messages.types import ChangeClass, ChangeSummary, OrderKey
from scops.common.db.database import Database
from scops.common.scope import urls
from scops.common.scope.contexts import PUBLIC
from scops.libraries.embedder.port import Embedder
from scops.libraries.index.ports import ChunkObject
from scops.libraries.index.rows.head_reader import SqlHeadReader, manifest_columns
from scops.libraries.index.rows.mirror_reader import SqlMirrorReader
from scops.libraries.index.rows.object_reader import SqlObjectReader
from scops.libraries.index.rows.tables import CHUNK, HEAD, PAGE_VERSION, read_metadata
from scops.libraries.index.sqlite.chunk_store import SqliteChunkStore
from scops.libraries.index.wording import wording
from scops.libraries.mentions.keys import mentions_text
from scops.libraries.mentions.rules import read_by_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A chunk of a page's text."""

    start: int
    end: int
    section_path: tuple[str, ...] = ()
    header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """A page as extraction and chunking would give it."""

    url: str
    title: str
    text: str
    blocks: tuple[Block, ...]
    spans: tuple[Span, ...]


def page_of(url: str, *paragraphs: str, title: str = "A page") -> PageText:
    """Builds a page of which each paragraph is a chunk; `# ` opens a section, `- ` is an item.

    A heading belongs to the chunk after it. `| ` is a table row, four spaces are code.
    """
    blocks: list[Block] = []
    spans: list[Span] = []
    text, opened = "", -1
    path: tuple[str, ...] = ()
    for paragraph in paragraphs:
        kind, words = _kind_of(paragraph)
        start = len(text) + (2 if text else 0)
        text += ("\n\n" if text else "") + words
        is_heading = kind is BlockKind.HEADING
        above = () if is_heading else path
        blocks.append(Block(kind=kind, start=start, end=len(text), section_path=above))
        if is_heading:
            path, opened = (words,), start
            continue
        first = start if opened < 0 else opened
        spans.append(Span(start=first, end=len(text), section_path=path, header=title))
        opened = -1
    return PageText(url=url, title=title, text=text, blocks=tuple(blocks), spans=tuple(spans))


def in_one_chunk(page: PageText) -> PageText:
    """Returns the page with a single chunk."""
    return replace(page, spans=(Span(start=0, end=len(page.text), header=page.title),))


def _kind_of(paragraph: str) -> tuple[BlockKind, str]:
    marks = {
        "# ": BlockKind.HEADING,
        "- ": BlockKind.LIST_ITEM,
        "| ": BlockKind.TABLE_ROW,
        "    ": BlockKind.CODE,
    }
    for mark, kind in marks.items():
        if paragraph.startswith(mark):
            return kind, paragraph.removeprefix(mark)
    return BlockKind.PARAGRAPH, paragraph


@dataclass
class IndexedPages:
    """An index in memory; every page is known by its URL."""

    embedder: Embedder
    archive: Archive
    database: Database
    store: SqliteChunkStore
    _manifests: dict[str, list[Manifest]] = field(default_factory=dict)
    _live: dict[ChunkId, ChunkObject] = field(default_factory=dict)
    _incarnations: dict[ChunkId, int] = field(default_factory=dict)

    @classmethod
    async def create(cls, embedder: Embedder) -> "IndexedPages":
        """Builds an empty index."""
        database = Database("sqlite://", name="indexer")
        async with database.transaction() as connection:
            await connection.run_sync(read_metadata.create_all)
        store = SqliteChunkStore(
            None,
            embedder_id=embedder.embedder_id,
            dimensions=embedder.dimensions,
            inline=True,
        )
        return cls(embedder, open_archive("memory://", "main"), database, store)

    @property
    def heads(self) -> SqlHeadReader:
        return SqlHeadReader(self.database)

    @property
    def mirrors(self) -> SqlMirrorReader:
        return SqlMirrorReader(self.database)

    @property
    def objects(self) -> SqlObjectReader:
        return SqlObjectReader(self.database)

    async def close(self) -> None:
        await self.store.close()
        await self.database.close()

    def page_id(self, url: str) -> PageId:
        return PageId(ids.derived_id("test-page", url))

    def manifests(self, url: str) -> list[Manifest]:
        """Returns the manifests of a page, oldest first."""
        return self._manifests.get(url, [])

    async def show(self, page: PageText, *, at: datetime, access_context: str = PUBLIC) -> Manifest:
        """Indexes a version of a page, observed at an instant after all others."""
        manifest = await self._manifest(page, at)
        await self._insert(page, manifest, access_context)
        before = self._manifests.setdefault(page.url, [])
        await self._move_head(page.url, manifest, access_context, first=not before)
        await self._list_chunks(page.text, manifest)
        before.append(manifest)
        return manifest

    async def close_page(self, url: str, *, at: datetime) -> None:
        """Closes a page: it is gone since an instant."""
        page_id = self.page_id(url)
        async with self.database.transaction() as connection:
            await connection.execute(
                update(PAGE_VERSION)
                .where(PAGE_VERSION.c.page_id == page_id, PAGE_VERSION.c.observed_to.is_(None))
                .values(observed_to=at)
            )
            await connection.execute(
                update(CHUNK).where(CHUNK.c.page_id == page_id).values(unlisted_since=at)
            )
            await connection.execute(
                update(HEAD)
                .where(HEAD.c.page_id == page_id)
                .values(
                    observed_from=at,
                    closed=True,
                    closed_reason="gone",
                    version_id="",
                    **manifest_columns(None),
                )
            )

    async def verify(self, url: str, *, at: datetime) -> None:
        """Notes that a page was seen unchanged."""
        async with self.database.transaction() as connection:
            await connection.execute(
                update(HEAD).where(HEAD.c.page_id == self.page_id(url)).values(verified_time=at)
            )

    async def forget_head(self, url: str) -> None:
        """Leaves the chunks of a page without a head, as before its first switch."""
        async with self.database.transaction() as connection:
            await connection.execute(delete(HEAD).where(HEAD.c.page_id == self.page_id(url)))

    async def sweep(self) -> None:
        """Moves every chunk that no head lists to the history."""
        listed = {
            chunk.chunk_id
            for manifests in self._manifests.values()
            for chunk in manifests[-1].chunks
        }
        swept = [item for key, item in self._live.items() if key not in listed]
        await self.store.insert_history(swept)
        await self.store.delete([item.object_id for item in swept])
        for item in swept:
            del self._live[item.chunk_id]

    async def _manifest(self, page: PageText, at: datetime) -> Manifest:
        document = Document(title=page.title, blocks=page.blocks)
        page_id = self.page_id(page.url)
        return Manifest(
            page_id=page_id,
            version_id=ids.version_id(page_id, at, 0),
            order_key=OrderKey(observed_from=at),
            text=await self.archive.put(page.text.encode(), media_type="text/plain"),
            document=await self.archive.put(wire.encode(document), media_type="document"),
            summary=ChangeSummary(change_class=ChangeClass.NONE),
            chunks=_chunks_of(page, page_id, self.embedder.embedder_id),
            title=page.title,
            embedder_id=self.embedder.embedder_id,
        )

    async def _insert(self, page: PageText, manifest: Manifest, access_context: str) -> None:
        new = [chunk for chunk in manifest.chunks if chunk.chunk_id not in self._live]
        texts = [page.text[chunk.start : chunk.end] for chunk in new]
        embedded = [
            ids.embedded_text(chunk.header, text) for chunk, text in zip(new, texts, strict=True)
        ]
        vectors = await self.embedder.embed(embedded)
        incarnation = len(self._manifests.get(page.url, []))
        self._incarnations.update((chunk.chunk_id, incarnation) for chunk in new)
        objects = [
            ChunkObject(
                object_id=ids.object_id(chunk.chunk_id, incarnation),
                chunk_id=chunk.chunk_id,
                page_id=manifest.page_id,
                access_context=access_context,
                url_prefixes=urls.url_prefixes(page.url),
                header=chunk.header,
                text=text,
                embedding_key=chunk.embedding_key,
                vector=vector,
                observed_from=manifest.order_key.observed_from,
                mentions=read_by_rules(mentions_text(chunk.header, text)),
            )
            for chunk, text, vector in zip(new, texts, vectors, strict=True)
        ]
        await self.store.insert(objects)
        self._live.update({item.chunk_id: item for item in objects})

    async def _list_chunks(self, text: str, manifest: Manifest) -> None:
        rows = [
            _chunk_row(text, chunk, manifest) | {"incarnation": self._incarnations[chunk.chunk_id]}
            for chunk in manifest.chunks
        ]
        async with self.database.transaction() as connection:
            await connection.execute(
                update(CHUNK)
                .where(CHUNK.c.page_id == manifest.page_id)
                .values(unlisted_since=manifest.order_key.observed_from)
            )
            for row in rows:
                await connection.execute(delete(CHUNK).where(CHUNK.c.chunk_id == row["chunk_id"]))
                await connection.execute(insert(CHUNK).values(row))

    async def _move_head(
        self, url: str, manifest: Manifest, access_context: str, *, first: bool
    ) -> None:
        at = manifest.order_key.observed_from
        blob = await self.archive.put(wire.encode(manifest), media_type="manifest")
        columns = {
            "observed_from": at,
            "revision": 0,
            "version_id": manifest.version_id,
            **manifest_columns(blob),
        }
        head = {
            **columns,
            "closed": False,
            "closed_reason": "",
            "canonical_url": url,
            "access_context": access_context,
            "verified_time": at,
            "visible_time": at,
        }
        page_id = manifest.page_id
        async with self.database.transaction() as connection:
            await connection.execute(
                update(PAGE_VERSION)
                .where(PAGE_VERSION.c.page_id == page_id, PAGE_VERSION.c.observed_to.is_(None))
                .values(observed_to=at)
            )
            await connection.execute(
                insert(PAGE_VERSION).values(page_id=page_id, row_revision=0, **columns)
            )
            if first:
                await connection.execute(
                    insert(HEAD).values(
                        page_id=page_id, prefix_ticket=0, prefixes_stale=False, **head
                    )
                )
            else:
                await connection.execute(
                    update(HEAD).where(HEAD.c.page_id == page_id).values(**head)
                )


def _chunk_row(text: str, chunk: ManifestChunk, manifest: Manifest) -> dict[str, Any]:
    said = wording(text[chunk.start : chunk.end], chunk.simhash)
    return {
        "chunk_id": chunk.chunk_id,
        "page_id": manifest.page_id,
        "state": "live",
        "stored": True,
        "observed_from": manifest.order_key.observed_from,
        "wording_id": said.wording_id,
    }


def _chunks_of(page: PageText, page_id: PageId, embedder_id: str) -> tuple[ManifestChunk, ...]:
    chunks: list[ManifestChunk] = []
    for span in page.spans:
        text = page.text[span.start : span.end]
        occurrence = sum(
            page.text[chunk.start : chunk.end] == text and chunk.header == span.header
            for chunk in chunks
        )
        key = ids.embedding_key(embedder_id, ids.embedded_text(span.header, text))
        chunks.append(
            ManifestChunk(
                chunk_id=ids.chunk_id(page_id, span.header, text, occurrence),
                start=span.start,
                end=span.end,
                section_path=span.section_path,
                header=span.header,
                embedding_key=key,
                lineage_id=LineageId(f"lineage-{span.start}"),
                origin=ChunkOrigin.ADDED,
            )
        )
    return tuple(chunks)


def version_ids(manifests: Sequence[Manifest]) -> list[VersionId]:
    """Returns the ids of some versions."""
    return [manifest.version_id for manifest in manifests]
