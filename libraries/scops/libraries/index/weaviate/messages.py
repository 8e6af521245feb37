"""Searches as Weaviate's own messages, and hits as read from its replies.

The client's query methods make an object of every hit, a list of every vector and a date of every
time that was not asked for; for a hundred hits that costs more than asking. So the requests are
built here of the messages that it sends, and go out on its connection with its retries and errors.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from weaviate import WeaviateAsyncClient
from weaviate.collections.classes.filters import _Filters
from weaviate.collections.filters import _FilterToGRPC
from weaviate.proto.v1 import base_pb2, base_search_pb2, properties_pb2, search_get_pb2

from scops.common.contract.ids import ChunkId, ObjectId, PageId
from scops.libraries.index.ports import FloatArray, StoreHit, StoreQuery
from scops.libraries.index.weaviate.objects import (
    HIT_PROPERTIES,
    MENTION_PROPERTIES,
    MENTIONS,
    MENTIONS_BY,
    WORDS,
)

SINGLE = base_pb2.Vectors.VECTOR_TYPE_SINGLE_FP32
PROPERTIES = search_get_pb2.PropertiesRequest(non_ref_properties=HIT_PROPERTIES)
WITH_MENTIONS = search_get_pb2.PropertiesRequest(
    non_ref_properties=[*HIT_PROPERTIES, *MENTION_PROPERTIES]
)
WITH_DISTANCE = search_get_pb2.MetadataRequest(uuid=True, distance=True)
# With vectors: asking for the cosines afterwards would take another round trip, and miss what an
# unclean stop has taken out of the vector index.
WITH_SCORE = search_get_pb2.MetadataRequest(uuid=True, score=True, vector=True)


def nearest(
    collection: str, filters: _Filters, vector: FloatArray, *, limit: int
) -> search_get_pb2.SearchRequest:
    """Returns the question for the objects with the most similar vectors.

    Args:
        collection: name or alias.
        vector: shape (dimensions,), unit length.
    """
    packed = base_pb2.Vectors(vector_bytes=vector.astype("<f4").tobytes(), type=SINGLE)
    request = _request(collection, filters, WITH_DISTANCE, limit)
    request.near_vector.CopyFrom(base_search_pb2.NearVector(vectors=[packed]))
    return request


def best_by_bm25(
    collection: str, filters: _Filters, terms: str, *, limit: int
) -> search_get_pb2.SearchRequest:
    """Returns the question for the objects with the best BM25 scores."""
    request = _request(collection, filters, WITH_SCORE, limit)
    request.bm25_search.CopyFrom(base_search_pb2.BM25(query=terms, properties=[WORDS]))
    return request


def with_mentions(
    request: search_get_pb2.SearchRequest, query: StoreQuery
) -> search_get_pb2.SearchRequest:
    """Returns the request, for hits with their mentions where a query wants them."""
    if query.with_mentions:
        request.properties.CopyFrom(WITH_MENTIONS)
    return request


async def send(
    client: WeaviateAsyncClient, request: search_get_pb2.SearchRequest
) -> search_get_pb2.SearchReply:
    """Returns what Weaviate answers.

    Raises:
        WeaviateQueryError: it refuses, or does not answer.
    """
    return await client._connection.grpc_search(request)


def near_hits(reply: search_get_pb2.SearchReply) -> list[StoreHit]:
    """Returns the hits of `nearest`, the most similar first."""
    return [_hit(found, _cosine(1.0 - found.metadata.distance)) for found in reply.results]


def bm25_hits(reply: search_get_pb2.SearchReply, vector: FloatArray) -> list[StoreHit]:
    """Returns the hits of `best_by_bm25`, the best first.

    Args:
        vector: shape (dimensions,); what their cosines are with. A hit whose vector Weaviate has
            lost gets 0.
    """
    return [
        _hit(found, similarity, found.metadata.score)
        for found, similarity in zip(
            reply.results, _similarities(reply.results, vector), strict=True
        )
    ]


def _request(
    collection: str, filters: _Filters, metadata: search_get_pb2.MetadataRequest, limit: int
) -> search_get_pb2.SearchRequest:
    return search_get_pb2.SearchRequest(
        collection=collection,
        properties=PROPERTIES,
        metadata=metadata,
        limit=limit,
        filters=_FilterToGRPC.convert(filters),
        uses_123_api=True,
        uses_125_api=True,
        uses_127_api=True,
    )


def _hit(
    found: search_get_pb2.SearchResult, similarity: float, bm25: float | None = None
) -> StoreHit:
    fields = found.properties.non_ref_props.fields
    return StoreHit(
        object_id=ObjectId(found.metadata.id),
        chunk_id=ChunkId(fields["chunk_id"].text_value),
        page_id=PageId(fields["page_id"].text_value),
        header=fields["header"].text_value,
        text=fields["text"].text_value,
        similarity=similarity,
        bm25=bm25,
        mentions=_mentions(fields) if MENTIONS_BY in fields else None,
    )


def _mentions(fields: Mapping[str, properties_pb2.Value]) -> frozenset[str] | None:
    """Returns what an object is stored to mention; None where that was not stored."""
    if not fields[MENTIONS_BY].text_value:
        return None
    keys = fields[MENTIONS].list_value.text_values.values if MENTIONS in fields else ()
    return frozenset(keys)


def _similarities(
    results: Sequence[search_get_pb2.SearchResult], vector: FloatArray
) -> list[float]:
    packed = [_vector_bytes(found) for found in results]
    size = vector.size * np.dtype("<f4").itemsize
    whole = b"".join(one if len(one) == size else bytes(size) for one in packed)
    stored = np.frombuffer(whole, dtype="<f4").reshape(-1, vector.size)
    return [_cosine(cosine) for cosine in (stored @ vector).tolist()]


def _vector_bytes(found: search_get_pb2.SearchResult) -> bytes:
    vectors = found.metadata.vectors
    return vectors[0].vector_bytes if vectors else found.metadata.vector_bytes


def _cosine(value: float) -> float:
    return max(-1.0, min(1.0, value))
