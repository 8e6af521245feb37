"""What an object and the rows that stand for it owe each other."""

from collections.abc import Mapping

import numpy as np

from scops.common.contract import ids
from scops.common.contract.ids import ChunkId, PageId
from scops.common.scope.urls import url_prefixes
from scops.indexer.objects.interval import VersionInterval
from scops.indexer.upkeep.inventory import ChunkRow, PageInventory
from scops.indexer.upkeep.restoring import ChunkSources
from scops.libraries.index.ports import ChunkObject, FloatArray
from scops.libraries.index.upkeep import StoredChunk

VECTOR_DIFFERENCE_MAX = 1e-4


def should_be(row: ChunkRow) -> bool:
    """Returns whether a chunk must have a live object: a claim alone promises none."""
    return row.is_live and row.stored


def should_be_history(row: ChunkRow) -> bool:
    """Returns whether a chunk must have a copy in the history: it was an object once."""
    return not row.is_live and row.stored and not row.dropped


def is_owed_nothing(row: ChunkRow, sources: Mapping[PageId, ChunkSources]) -> bool:
    """Returns whether a chunk without an object is none of a kept version, and of no head."""
    found = sources.get(row.page_id)
    return found is not None and row.chunk_id in found.dropped and not row.listed


def still(item: ChunkObject, rows: Mapping[ChunkId, ChunkRow]) -> bool:
    """Returns whether rows still stand for an object, in its incarnation."""
    row = rows.get(item.chunk_id)
    return row is not None and row.is_live and row.object_id == item.object_id


def is_orphan(item: StoredChunk, row: ChunkRow | None, *, history: bool) -> bool:
    """Returns whether no row stands for an object."""
    if row is None or history:
        # A copy that a rebuild made of a chunk whose versions went meanwhile.
        return row is None or row.dropped
    is_current = row.is_live and row.object_id == item.object_id
    # What is leaving has its deletion ahead of it anyway.
    return not is_current and not row.leaving


def page_prefixes(page: PageInventory) -> tuple[str, ...]:
    """Returns the tokens that the objects of a page carry."""
    return url_prefixes(page.head.canonical_url)


def has_its_key(item: ChunkObject, embedder_id: str) -> bool:
    """Returns whether an object's key is that of its text by this embedder."""
    embedded = ids.embedded_text(item.header, item.text)
    return item.embedding_key == ids.embedding_key(embedder_id, embedded)


def has_vector(item: ChunkObject, cached: FloatArray | None) -> bool:
    """Returns whether an object has the vector that is kept of its text, if one is."""
    if cached is None:
        return item.vector.size > 0
    return item.vector.shape == cached.shape and bool(
        np.allclose(item.vector, cached, atol=VECTOR_DIFFERENCE_MAX)
    )


def holds(item: StoredChunk, row: ChunkRow) -> bool:
    """Returns whether the interval of a copy in the history holds its chunk's."""
    if item.observed_from is None:
        return item.observed_to is None
    held = VersionInterval(begin=item.observed_from, end=item.observed_to)
    return held.holds(row.interval)
