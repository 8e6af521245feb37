"""Asks Weaviate's indexes for objects that it holds, to find those that they have lost.

Objects, filters, words and vectors lie in indexes of their own, of which an unclean stop may lose
the tail of any (measured with 1.35.2). Two queries tell for a whole batch: each goes through the
filters that searches use, one through the vector index, the other through BM25.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from weaviate.classes.query import Filter, MetadataQuery
from weaviate.collections.classes.filters import _Filters

from scops.common.contract.ids import ObjectId
from scops.libraries.index.ports import ChunkObject
from scops.libraries.index.weaviate.filters import all_of, of_ids, of_pages
from scops.libraries.index.weaviate.objects import WORDS, terms_of, words_of
from scops.libraries.index.words.analysis import query_terms

SAME_DISTANCE_MAX = 1e-4


async def findable(collection: Any, batch: Sequence[ChunkObject]) -> set[ObjectId]:
    """Returns which objects both ways of searching find, as they are stored."""
    filters = _as_searched(batch)
    by_vector, by_words = await asyncio.gather(
        _by_vector(collection, batch, filters), _by_words(collection, batch, filters)
    )
    return by_vector & by_words


async def _by_vector(
    collection: Any, batch: Sequence[ChunkObject], filters: _Filters
) -> set[ObjectId]:
    """Returns what the vector index knows with the vector that it should have."""
    probe = batch[0].vector
    expected = {item.object_id: 1.0 - float(item.vector @ probe) for item in batch}
    answer = await collection.query.near_vector(
        probe.tolist(),
        limit=len(batch),
        filters=filters,
        return_metadata=MetadataQuery(distance=True),
        return_properties=[],
    )
    distances = {ObjectId(str(one.uuid)): one.metadata.distance for one in answer.objects}
    return {
        object_id
        for object_id, distance in distances.items()
        if abs(distance - expected[object_id]) <= SAME_DISTANCE_MAX
    }


async def _by_words(
    collection: Any, batch: Sequence[ChunkObject], filters: _Filters
) -> set[ObjectId]:
    """Returns what BM25 finds when asked for a word of each object; all that have no words."""
    words = {item.object_id: _longest_words(item) for item in batch}
    found = {object_id for object_id, longest in words.items() if not longest}
    if len(found) < len(batch):
        answer = await collection.query.bm25(
            " ".join(sorted(set().union(*words.values()))),
            query_properties=[WORDS],
            limit=len(batch),
            filters=filters,
            return_properties=[],
        )
        found |= {ObjectId(str(one.uuid)) for one in answer.objects}
    return found


def _as_searched(batch: Sequence[ChunkObject]) -> _Filters:
    """Returns a filter that asks for a token of each object in every filterable property."""
    prefixes = sorted({item.url_prefixes[-1] for item in batch if item.url_prefixes})
    contexts = sorted({item.access_context for item in batch})
    return all_of(
        of_ids([item.object_id for item in batch]),
        of_pages(sorted({item.page_id for item in batch})),
        Filter.by_property("url_prefixes").contains_any(prefixes),
        Filter.by_property("access_context").contains_any(contexts),
    )


def _longest_words(item: ChunkObject) -> set[str]:
    """Returns the longest term and the longest word; an earlier version wrote words alone."""
    either = (terms_of(item), query_terms(words_of(item), ()))
    return {max(words, key=len) for words in either if words}
