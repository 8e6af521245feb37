"""Chunk objects as Weaviate holds them: their properties, there and back."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
from weaviate.classes.data import DataObject

from scops.common.contract.ids import ChunkId, EmbeddingKey, ObjectId, PageId
from scops.libraries.index.ports import ChunkObject, FloatArray
from scops.libraries.index.words.analysis import analysed
from scops.libraries.index.words.language import detected_language
from scops.libraries.mentions.port import Mentions

# Weaviate compares instants as nanoseconds in 64 bits, 1678 to 2262; these stand for "always".
BEGINNING = datetime(1700, 1, 1, tzinfo=UTC)
END = datetime(2262, 1, 1, tzinfo=UTC)
HIT_PROPERTIES = ["chunk_id", "page_id", "header", "text"]
MENTIONS = "mentions"
MENTIONS_BY = "mentions_by"
MENTION_PROPERTIES = [MENTIONS, MENTIONS_BY]
OBJECT_PROPERTIES = [
    *HIT_PROPERTIES,
    "access_context",
    "url_prefixes",
    "embedding_key",
    *MENTION_PROPERTIES,
]
INTERVAL_PROPERTIES = ["observed_from", "observed_to"]
VECTOR = "default"
# Terms of header and text: what BM25 reads.
WORDS = "words"
# The language that they were analysed for; empty or absent where it is unknown.
LANGUAGE = "language"


def data_object(item: ChunkObject, *, history: bool) -> DataObject[dict[str, Any], None]:
    """Returns an object to insert."""
    language = detected_language(item.text)
    properties: dict[str, Any] = {
        "chunk_id": item.chunk_id,
        "page_id": item.page_id,
        "access_context": item.access_context,
        "url_prefixes": list(item.url_prefixes),
        "header": item.header,
        "text": item.text,
        WORDS: analysed(words_of(item), language),
        LANGUAGE: language,
        "embedding_key": item.embedding_key,
    }
    if item.mentions is not None:
        properties |= {
            MENTIONS: list(item.mentions.keys),
            MENTIONS_BY: item.mentions.extractor_id,
        }
    if history:
        properties |= interval_properties(item.observed_from, item.observed_to)
    return DataObject(uuid=item.object_id, properties=properties, vector=item.vector.tolist())


def words_of(item: ChunkObject) -> str:
    """Returns what BM25 is to find an object by."""
    return f"{item.header}\n{item.text}"


def terms_of(item: ChunkObject) -> list[str]:
    """Returns the terms that BM25 finds an object by."""
    return analysed(words_of(item), detected_language(item.text)).split()


def interval_properties(begin: datetime | None, end: datetime | None) -> dict[str, Any]:
    """Returns the properties that hold an interval; an open side gets a date out of reach."""
    return {"observed_from": begin or BEGINNING, "observed_to": end or END}


def interval_of(properties: Mapping[str, Any]) -> tuple[datetime | None, datetime | None]:
    """Returns the interval that a history object holds."""
    begin, end = properties.get("observed_from"), properties.get("observed_to")
    return (None if begin == BEGINNING else begin, None if end == END else end)


def chunk_object(found: Any) -> ChunkObject:
    """Returns a chunk object of what Weaviate returned with all properties and the vector."""
    properties = found.properties
    begin, end = interval_of(properties)
    return ChunkObject(
        object_id=ObjectId(str(found.uuid)),
        chunk_id=ChunkId(properties["chunk_id"]),
        page_id=PageId(properties["page_id"]),
        access_context=properties["access_context"],
        url_prefixes=tuple(properties["url_prefixes"]),
        header=properties["header"],
        text=properties["text"],
        embedding_key=EmbeddingKey(properties["embedding_key"]),
        vector=vector_of(found),
        observed_from=begin,
        observed_to=end,
        mentions=mentions_of(properties),
    )


def mentions_of(properties: Mapping[str, Any]) -> Mentions | None:
    """Returns what an object is stored to mention; None where that was not stored."""
    extractor_id = properties.get(MENTIONS_BY)
    # Weaviate returns nothing for an empty list.
    return Mentions(tuple(properties.get(MENTIONS) or ()), extractor_id) if extractor_id else None


def vector_of(found: Any) -> FloatArray:
    """Returns the vector of what Weaviate returned with it; empty where it has lost that.

    Returns:
        Shape (dimensions,); of size 0 where Weaviate has lost it.
    """
    return np.array(found.vector.get(VECTOR, ()), dtype=np.float32)
