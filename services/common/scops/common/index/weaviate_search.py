"""Searches Weaviate: vectors and BM25 side by side, live and history, put together by chunk.

BM25 and vector hits come from queries of their own, not from Weaviate's hybrid, because a hit
owes its cosine and its BM25 score to whoever ranks; hybrid gives a fused number instead.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from weaviate import WeaviateAsyncClient
from weaviate.classes.query import MetadataQuery
from weaviate.collections.classes.filters import _Filters

from scops.common.ids import ChunkId, ObjectId, PageId
from scops.common.index.ports import FloatArray, StoreHit, StoreQuery
from scops.common.index.query_terms import folded, query_terms
from scops.common.index.weaviate_filters import query_filters, stood_at
from scops.common.index.weaviate_objects import HIT_PROPERTIES, WORDS, vector_of
from scops.common.index.weaviate_schema import Names

# Weaviate's own bound of one query (QUERY_MAXIMUM_RESULTS).
RESULTS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Place:
    """One side of the index under one part of the filter."""

    collection: Any
    history: bool
    filters: _Filters


async def search(
    client: WeaviateAsyncClient, names: Names, query: StoreQuery, *, filter_values_max: int
) -> list[StoreHit]:
    """Returns the hits of a query; see the port."""
    places = places_of(client, names, query, filter_values_max)
    terms = " ".join(query_terms(folded(query.text)))
    vector = query.vector.tolist()
    near = [_most_similar(place, vector, query.limit) for place in places]
    worded = [_best_worded(place, terms, query) for place in places if terms]
    found = await asyncio.gather(*near, *worded)
    by_vector = _best_of(found[: len(near)], query.limit, lambda hit: hit.similarity)
    by_words = _best_of(found[len(near) :], query.limit, lambda hit: hit.bm25 or 0.0)
    both = by_words | {
        key: replace(hit, bm25=by_words[key].bm25) if key in by_words else hit
        for key, hit in by_vector.items()
    }
    return sorted(both.values(), key=lambda hit: (-hit.similarity, hit.chunk_id))


async def best_similar(places: Sequence[Place], query: StoreQuery) -> dict[ChunkId, StoreHit]:
    """Returns the hits of the vector side alone, each chunk once."""
    vector = query.vector.tolist()
    found = await asyncio.gather(*(_most_similar(place, vector, query.limit) for place in places))
    return _best_of(found, query.limit, lambda hit: hit.similarity)


def places_of(
    client: WeaviateAsyncClient, names: Names, query: StoreQuery, filter_values_max: int
) -> list[Place]:
    """Returns where a query looks."""
    live, history = client.collections.get(names.live), client.collections.get(names.history)
    places = []
    for part in query_filters(query, values_max=filter_values_max):
        places.append(Place(live, False, part))
        if query.as_of is not None:
            places.append(Place(history, True, part & stood_at(query.as_of)))
    return places


async def _most_similar(place: Place, vector: list[float], limit: int) -> list[StoreHit]:
    async def fetch(count: int) -> Sequence[StoreHit]:
        answer = await place.collection.query.near_vector(
            vector,
            limit=count,
            filters=place.filters,
            return_metadata=MetadataQuery(distance=True),
            return_properties=HIT_PROPERTIES,
        )
        return [_hit(item, similarity=_cosine(item.metadata.distance)) for item in answer.objects]

    return await _distinct(fetch, limit)


async def _best_worded(place: Place, terms: str, query: StoreQuery) -> list[StoreHit]:
    async def fetch(count: int) -> Sequence[StoreHit]:
        # With their vectors: asking for the cosines afterwards would take another round trip,
        # and miss what an unclean stop has taken out of the vector index.
        answer = await place.collection.query.bm25(
            terms,
            query_properties=[WORDS],
            limit=count,
            filters=place.filters,
            include_vector=True,
            return_metadata=MetadataQuery(score=True),
            return_properties=HIT_PROPERTIES,
        )
        return [
            _hit(item, similarity=_similarity(item, query.vector), bm25=item.metadata.score)
            for item in answer.objects
        ]

    return await _distinct(fetch, query.limit)


async def _distinct(
    fetch: Callable[[int], Awaitable[Sequence[StoreHit]]], limit: int
) -> list[StoreHit]:
    """Fetches until there are enough chunks, of which each may have several objects."""
    count = limit
    while True:
        hits = await fetch(count)
        chunks: dict[ChunkId, StoreHit] = {}
        for hit in hits:
            chunks.setdefault(hit.chunk_id, hit)
        if len(chunks) >= limit or len(hits) < count or count >= RESULTS_MAX:
            return list(chunks.values())[:limit]
        count = min(2 * count, RESULTS_MAX)


def _best_of(
    lists: Iterable[Sequence[StoreHit]], limit: int, score: Callable[[StoreHit], float]
) -> dict[ChunkId, StoreHit]:
    """Returns the best hits of several lists, each chunk once."""
    best: dict[ChunkId, StoreHit] = {}
    hits = [hit for hits in lists for hit in hits]
    for hit in sorted(hits, key=lambda hit: (-score(hit), hit.chunk_id)):
        best.setdefault(hit.chunk_id, hit)
    return dict(list(best.items())[:limit])


def _hit(found: Any, *, similarity: float = 0.0, bm25: float | None = None) -> StoreHit:
    properties = found.properties
    return StoreHit(
        object_id=ObjectId(str(found.uuid)),
        chunk_id=ChunkId(properties["chunk_id"]),
        page_id=PageId(properties["page_id"]),
        header=properties["header"],
        text=properties["text"],
        similarity=similarity,
        bm25=bm25,
    )


def _cosine(distance: float) -> float:
    return max(-1.0, min(1.0, 1.0 - distance))


def _similarity(found: Any, vector: FloatArray) -> float:
    """Returns the cosine of what was found with its vector; 0 where it has lost that."""
    stored = vector_of(found)
    return _cosine(1.0 - float(stored @ vector)) if stored.size else 0.0
