"""Makes chunk objects and the stays of chunks out of manifests."""

from collections.abc import Mapping, Sequence

from scops.common import ids
from scops.common.ids import ChunkId, EmbeddingKey
from scops.common.index.ports import ChunkObject, FloatArray
from scops.common.messages.change import Manifest, Verdict, VersionRow
from scops.common.urls import url_prefixes
from scops.indexer.interval import Interval, interval_of
from scops.indexer.ports import ChunkSpan, Claim
from scops.indexer.target import ChunkText


def chunk_spans(manifests: Mapping[VersionRow, Manifest]) -> tuple[ChunkSpan, ...]:
    """Returns for each listed chunk the smallest interval that holds the stays listing it."""
    intervals: dict[ChunkId, Interval] = {}
    for row, manifest in manifests.items():
        for chunk in manifest.chunks:
            stood = interval_of(row)
            known = intervals.get(chunk.chunk_id)
            intervals[chunk.chunk_id] = stood if known is None else known.union(stood)
    return tuple(ChunkSpan(chunk_id=key, interval=stood) for key, stood in intervals.items())


def chunk_objects(
    texts: Sequence[ChunkText],
    vectors: Mapping[EmbeddingKey, FloatArray],
    claims: Mapping[ChunkId, Claim],
    verdict: Verdict,
) -> list[ChunkObject]:
    """Returns the objects of claimed chunks, under the URL that the verdict names."""
    prefixes = url_prefixes(verdict.canonical_url)
    return [
        ChunkObject(
            object_id=ids.object_id(text.chunk_id, claims[text.chunk_id].incarnation),
            chunk_id=text.chunk_id,
            page_id=verdict.page_id,
            access_context=verdict.access_context,
            url_prefixes=prefixes,
            header=text.header,
            text=text.text,
            embedding_key=text.embedding_key,
            vector=vectors[text.embedding_key],
        )
        for text in texts
    ]
