"""Searches Weaviate: vectors and BM25 side by side, live and history, put together by chunk.

BM25 and vector hits come from queries of their own, not from Weaviate's hybrid, because a hit
owes its cosine and its BM25 score to whoever ranks; hybrid gives a fused number instead.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from weaviate import WeaviateAsyncClient
from weaviate.collections.classes.filters import _Filters

from scops.common.contract.ids import ChunkId
from scops.libraries.index.ports import StoreHit, StoreQuery
from scops.libraries.index.weaviate.filters import query_filters, stood_at
from scops.libraries.index.weaviate.messages import (
    best_by_bm25,
    bm25_hits,
    near_hits,
    nearest,
    send,
    with_mentions,
)
from scops.libraries.index.weaviate.schema import Names
from scops.libraries.index.words.analysis import query_terms

# Weaviate's own bound of one query (QUERY_MAXIMUM_RESULTS).
RESULTS_MAX = 10_000
# Prefixes and pages in one filter; a wider scope is asked in several queries.
FILTER_VALUES_MAX = 1000


@dataclass(frozen=True, slots=True)
class Place:
    """One side of the index under one part of the filter."""

    collection: str
    history: bool
    filters: _Filters


async def search(
    client: WeaviateAsyncClient, names: Names, query: StoreQuery, languages: Sequence[str]
) -> list[StoreHit]:
    """Returns the hits of a query; see the port.

    The words are looked up at once, also where the vector is still being made.

    Args:
        languages: that the query is analysed for.
    """
    places = places_of(names, query)
    terms = " ".join(query_terms(query.text, languages))
    by_words, by_vector = await asyncio.gather(
        _best_by_words(client, places if terms else (), terms, query),
        best_similar(client, places, query),
    )
    both = by_words | {
        key: replace(hit, bm25=by_words[key].bm25) if key in by_words else hit
        for key, hit in by_vector.items()
    }
    return sorted(both.values(), key=lambda hit: (-hit.similarity, hit.chunk_id))


async def best_similar(
    client: WeaviateAsyncClient, places: Sequence[Place], query: StoreQuery
) -> dict[ChunkId, StoreHit]:
    """Returns the hits of the vector side alone, each chunk once."""
    found = await _each([_most_similar(client, place, query) for place in places])
    return _best_of(found, query.limit, lambda hit: hit.similarity)


def places_of(names: Names, query: StoreQuery) -> list[Place]:
    """Returns where a query looks."""
    places = []
    for part in query_filters(query, values_max=FILTER_VALUES_MAX):
        places.append(Place(names.live, False, part))
        if query.as_of is not None:
            places.append(Place(names.history, True, part & stood_at(query.as_of)))
    return places


async def _best_by_words(
    client: WeaviateAsyncClient, places: Sequence[Place], terms: str, query: StoreQuery
) -> dict[ChunkId, StoreHit]:
    """Returns the hits of the BM25 side alone, each chunk once."""
    found = await _each([_best_by_bm25(client, place, terms, query) for place in places])
    best = _best_of(found, query.limit, lambda hit: hit.bm25 or 0.0)
    if query.on_bm25_hits is not None:
        query.on_bm25_hits(tuple(best.values()))
    return best


async def _most_similar(
    client: WeaviateAsyncClient, place: Place, query: StoreQuery
) -> list[StoreHit]:
    vector = await query.known_vector()

    async def fetch(count: int) -> Sequence[StoreHit]:
        request = nearest(place.collection, place.filters, vector, limit=count)
        return near_hits(await send(client, with_mentions(request, query)))

    return await _distinct(fetch, query.limit)


async def _best_by_bm25(
    client: WeaviateAsyncClient, place: Place, terms: str, query: StoreQuery
) -> list[StoreHit]:
    async def fetch(count: int) -> Sequence[StoreHit]:
        request = best_by_bm25(place.collection, place.filters, terms, limit=count)
        reply = await send(client, with_mentions(request, query))
        return bm25_hits(reply, await query.known_vector())

    return await _distinct(fetch, query.limit)


async def _each(searches: Sequence[Coroutine[Any, Any, list[StoreHit]]]) -> list[list[StoreHit]]:
    """Returns what some searches find, side by side; one alone needs no task."""
    if len(searches) == 1:
        return [await searches[0]]
    return await asyncio.gather(*searches)


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
