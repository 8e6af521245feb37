"""Makes chunk objects and the stays of chunks out of manifests."""

from collections.abc import Mapping, Sequence

from scops.common import ids
from scops.common.ids import ChunkId, EmbeddingKey
from scops.common.index.ports import ChunkObject, FloatArray
from scops.common.messages.change import Manifest, Verdict, VersionRow
from scops.common.urls import url_prefixes
from scops.indexer.ports import ChunkSpan, Claim
from scops.indexer.target import ChunkText


def chunk_spans(manifests: Mapping[VersionRow, Manifest]) -> tuple[ChunkSpan, ...]:
    """Returns for each listed chunk the smallest interval that holds the stays listing it."""
    spans: dict[ChunkId, ChunkSpan] = {}
    for row, manifest in manifests.items():
        for chunk in manifest.chunks:
            span = ChunkSpan(
                chunk_id=chunk.chunk_id,
                observed_from=row.order_key.observed_from,
                observed_to=row.observed_to,
            )
            known = spans.get(chunk.chunk_id)
            spans[chunk.chunk_id] = span if known is None else _union(known, span)
    return tuple(spans.values())


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


def _union(one: ChunkSpan, other: ChunkSpan) -> ChunkSpan:
    ends = (one.observed_to, other.observed_to)
    return ChunkSpan(
        chunk_id=one.chunk_id,
        observed_from=min(one.observed_from, other.observed_from),
        observed_to=None if None in ends else max(end for end in ends if end is not None),
    )
