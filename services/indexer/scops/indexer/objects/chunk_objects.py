"""Makes chunk objects and the stays of chunks out of manifests."""

from collections.abc import Mapping, Sequence

from scops.common.contract import ids
from scops.common.contract.ids import ChunkId, EmbeddingKey, PageId
from scops.common.contract.messages.change import Manifest, VersionRow
from scops.common.scope.urls import url_prefixes
from scops.indexer.objects.chunk_texts import ChunkText
from scops.indexer.objects.interval import VersionInterval, interval_of
from scops.indexer.ports import ChunkSpan
from scops.libraries.index.ports import ChunkObject, FloatArray
from scops.libraries.mentions.port import Mentions

# Objects written to the store in one call: with vectors about 0.5 MB.
OBJECTS_AT_ONCE = 200


def chunk_spans(manifests: Mapping[VersionRow, Manifest]) -> tuple[ChunkSpan, ...]:
    """Returns for each listed chunk the smallest interval that holds the stays listing it."""
    intervals: dict[ChunkId, VersionInterval] = {}
    for row, manifest in manifests.items():
        for chunk in manifest.chunks:
            stood = interval_of(row)
            known = intervals.get(chunk.chunk_id)
            intervals[chunk.chunk_id] = stood if known is None else known.union(stood)
    return tuple(ChunkSpan(chunk_id=key, interval=stood) for key, stood in intervals.items())


def chunk_objects(
    texts: Sequence[ChunkText],
    vectors: Mapping[EmbeddingKey, FloatArray],
    mentions: Mapping[ChunkId, Mentions],
    incarnations: Mapping[ChunkId, int],
    *,
    page_id: PageId,
    access_context: str,
    canonical_url: str,
) -> list[ChunkObject]:
    """Returns the objects of a page's chunks, in their incarnations, under its URL.

    Args:
        vectors: each of shape (dimensions,), unit length; one for every text's key.
        mentions: what each chunk mentions.
        incarnations: of each chunk; it makes the id of its object.
    """
    prefixes = url_prefixes(canonical_url)
    return [
        ChunkObject(
            object_id=ids.object_id(text.chunk_id, incarnations[text.chunk_id]),
            chunk_id=text.chunk_id,
            page_id=page_id,
            access_context=access_context,
            url_prefixes=prefixes,
            header=text.header,
            text=text.text,
            embedding_key=text.embedding_key,
            vector=vectors[text.embedding_key],
            mentions=mentions[text.chunk_id],
        )
        for text in texts
    ]
