"""Compares Weaviate's filtered vector search with its own comparison of every object.

Under a filter that admits fewer objects than its flat search cutoff, Weaviate leaves the graph
alone and compares each of them. So the same query on a small enough part of the pages is exact,
and whatever it finds nearer than the last hit of the whole search should have been among those.
"""

import asyncio
from dataclasses import replace

from weaviate import WeaviateAsyncClient
from weaviate.classes.query import Filter

from scops.libraries.index.ports import StoreQuery
from scops.libraries.index.upkeep import Recall
from scops.libraries.index.weaviate.schema import Names
from scops.libraries.index.weaviate.search import best_similar, places_of

HEX = 16
# Cosines of one object differ by this between two ways of computing them.
TOLERANCE = 1e-5


def page_prefix(slice_key: str, objects: int, *, cutoff: int) -> str:
    """Returns as many digits of a key as leave fewer objects than the cutoff, at least one.

    Half of the cutoff is aimed at: pages differ in size.
    """
    digits = 1
    while digits < len(slice_key) and objects / HEX**digits > cutoff / 2:
        digits += 1
    return slice_key[:digits]


async def recall(
    client: WeaviateAsyncClient,
    names: Names,
    query: StoreQuery,
    *,
    page_prefix: str,
) -> Recall:
    """Returns what a search should have found on the pages of a prefix, and what it did."""
    places = places_of(names, query)
    part = Filter.by_property("page_id").like(f"{page_prefix}*")
    slices = [replace(place, filters=place.filters & part) for place in places]
    found, exact = await asyncio.gather(
        best_similar(client, places, query), best_similar(client, slices, query)
    )
    full = len(found) >= query.limit
    last = min((hit.similarity for hit in found.values()), default=-1.0) if full else -1.0
    expected = {key for key, hit in exact.items() if hit.similarity > last + TOLERANCE}
    return Recall(expected=len(expected), found=len(expected & found.keys()))
