"""Fills a system's index with a made-up corpus, through the indexer's own handlers."""

import asyncio
import random
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import scops.indexer.service
from benchmarks.query.corpus import CHUNKS_PER_PAGE, Corpus, CorpusPage
from scops.common.archive.opening import open_archive
from scops.common.archive.ports import Archive
from scops.common.bus.ports import Cause, Handler
from scops.common.config.settings import CommonSettings
from scops.common.contract import ids, wire
from scops.common.contract.ids import EventId, FetchId, PageId
from scops.common.contract.messages.change import (
    Manifest,
    ManifestChunk,
    Verdict,
    VersionAdded,
    VersionRow,
)
from scops.common.contract.messages.index import VersionIndexed
from scops.common.contract.messages.types import ChangeSummary, OrderKey
from scops.common.contract.service_table import Lane
from scops.common.db.address import state_address
from scops.common.db.database import Database
from scops.common.processes.pool import ChildPool
from scops.common.runtime.clock import SystemClock
from scops.common.runtime.platform import Platform, SharedResources
from scops.common.scope.book import ScopeBook
from scops.common.scope.contexts import PUBLIC
from scops.indexer.settings import IndexerSettings
from scops.libraries.embedder.calibration import calibration_of
from scops.libraries.embedder.models import MINILM
from scops.libraries.embedder.opening import open_embedder
from scops.libraries.embedder.port import EmbedderIdentity, FloatArray, identity

PAGES_AT_ONCE = 6
HEADER = "Bench"
OBSERVED = datetime(2026, 1, 1, tzinfo=UTC)
ORGANISATION = "main"


class CorpusEmbedder:
    """Implements the embedder port for the corpus alone: a chunk's text names its vector."""

    max_tokens = 512
    calibration = calibration_of(MINILM.name)

    def __init__(self, corpus: Corpus, known: EmbedderIdentity) -> None:
        self.embedder_id = known.embedder_id
        self.dimensions = known.dimensions
        self._corpus = corpus

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    async def embed(self, texts: Sequence[str], *, as_queries: bool = False) -> FloatArray:
        # "Bench", newline, "Chunk 17 …".
        places = [int(text.split(maxsplit=3)[2]) for text in texts]
        return np.array([self._corpus.vectors[place] for place in places])

    def close(self) -> None:
        return None


def fill(corpus: Corpus, common: CommonSettings) -> None:
    """Indexes every page of a corpus into the index that the settings name."""
    asyncio.run(_fill(corpus, common))


def manifest_of(page: CorpusPage, corpus: Corpus, embedder_id: str, archived: Any) -> Manifest:
    """Returns the manifest of a page's only version.

    Args:
        archived: reference of its text.
    """
    page_id = PageId(f"page-{page.number}")
    key = OrderKey(observed_from=OBSERVED, revision=0)
    return Manifest(
        page_id=page_id,
        version_id=ids.version_id(page_id, OBSERVED, 0),
        order_key=key,
        text=archived,
        document=archived,
        embedder_id=embedder_id,
        title=HEADER,
        summary=ChangeSummary(),
        chunks=tuple(_chunks(page_id, _texts(page, corpus), embedder_id)),
    )


async def _fill(corpus: Corpus, common: CommonSettings) -> None:
    embedder = CorpusEmbedder(corpus, identity(common.embedder))
    database = Database(state_address(common, "indexer"), name="indexer")
    archive = open_archive(common.archive_url, common.organisation_id)
    service = scops.indexer.service.build(
        IndexerSettings.load(), _platform(common, embedder, database, archive)
    )
    assert service.router is not None
    handler = service.router.handlers[VersionAdded]
    gate = asyncio.Semaphore(PAGES_AT_ONCE)

    async def one(page: CorpusPage) -> None:
        async with gate:
            await _index(page, corpus, embedder.embedder_id, archive, handler)

    try:
        await asyncio.gather(*(one(page) for page in corpus.pages))
    finally:
        await service.close()
        await database.close()


async def _index(
    page: CorpusPage, corpus: Corpus, embedder_id: str, archive: Archive, handler: Handler
) -> None:
    text = "\n".join(_texts(page, corpus))
    archived = await archive.put(text.encode(), media_type="text/plain")
    manifest = manifest_of(page, corpus, embedder_id, archived)
    blob = await archive.put(wire.encode(manifest), media_type="application/x-manifest")
    row = VersionRow(
        version_id=manifest.version_id,
        order_key=manifest.order_key,
        manifest=blob,
        row_revision=1,
    )
    verdict = Verdict(
        page_id=manifest.page_id,
        fetch_id=FetchId(f"fetch-{page.number}"),
        access_context=PUBLIC,
        canonical_url=page.url,
        order_key=manifest.order_key,
        version_id=manifest.version_id,
        manifest=blob,
        verified_time=OBSERVED,
        observed_time=OBSERVED,
        versions=(row,),
    )
    cause = Cause(
        event_id=EventId(f"event-{page.number}"),
        organisation_id=ORGANISATION,
        lane=Lane.BULK,
        published_time=OBSERVED,
    )
    (answer,) = await handler(VersionAdded(verdict=verdict), cause)
    if not isinstance(answer, VersionIndexed):
        raise SystemExit(f"benchmarks.query: page {page.number} was not indexed: {answer}")


def _texts(page: CorpusPage, corpus: Corpus) -> list[str]:
    last = min(page.first + CHUNKS_PER_PAGE, corpus.size)
    return [corpus.text(place) for place in range(page.first, last)]


def _chunks(page_id: PageId, texts: Sequence[str], embedder_id: str) -> list[ManifestChunk]:
    chunks: list[ManifestChunk] = []
    start = 0
    for text in texts:
        chunks.append(
            ManifestChunk(
                chunk_id=ids.chunk_id(page_id, HEADER, text, 0),
                start=start,
                end=start + len(text),
                header=HEADER,
                embedding_key=ids.embedding_key(embedder_id, ids.embedded_text(HEADER, text)),
            )
        )
        start += len(text) + 1
    return chunks


def _platform(
    common: CommonSettings, embedder: CorpusEmbedder, database: Database, archive: Archive
) -> Platform:
    async def no_backlog(role: Any) -> int:
        return 0

    # The handlers of the indexer publish nothing themselves and ask nobody.
    nobody: Any = None
    return Platform(
        common=common,
        clock=SystemClock(),
        archive=archive,
        publisher=nobody,
        query_client=nobody,
        scope_book=ScopeBook(),
        random=random.Random(1),
        shared=SharedResources(common, {open_embedder: embedder}),
        children=ChildPool.of_settings(common),
        database=lambda name: database,
        backlog=no_backlog,
    )


def common_of(folder: Path, weaviate: dict[str, str]) -> CommonSettings:
    """Returns the settings of a system in a folder, as its processes read them."""
    named: dict[str, Any] = {
        key.removeprefix("SCOPS_").lower(): text for key, text in weaviate.items()
    }
    return CommonSettings(data_dir=folder / "data", **named)
