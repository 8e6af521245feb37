"""Builds chunk objects and store queries for the contract."""

from datetime import UTC, datetime, timedelta

import numpy as np

from scops.common.contract import ids
from scops.common.contract.ids import ChunkId, EmbeddingKey, PageId, ScopeId
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.filter import ScopeClause, ScopeFilter
from scops.common.scope.urls import url_prefixes
from scops.libraries.index.ports import ChunkObject, ChunkStore, FloatArray, StoreQuery
from scops.libraries.mentions.port import Mentions

DIMENSIONS = 8
START = datetime(2026, 1, 1, tzinfo=UTC)
EVERYTHING = frozenset({"*.org"})


def direction(*weights: float) -> FloatArray:
    """Returns a unit vector with these leading components."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[: len(weights)] = weights
    return vector / np.linalg.norm(vector)


def chunk_object(
    name: str,
    *,
    url: str = "https://docs.example.org/guide/page",
    page: str = "page-1",
    vector: FloatArray | None = None,
    header: str = "Guide",
    text: str = "",
    access_context: str = PUBLIC,
    incarnation: int = 1,
    day_from: int | None = None,
    day_to: int | None = None,
    mentions: tuple[str, ...] | None = None,
) -> ChunkObject:
    """Builds an object; its text is its name where none is given."""
    return ChunkObject(
        object_id=ids.object_id(ChunkId(name), incarnation),
        chunk_id=ChunkId(name),
        page_id=PageId(page),
        access_context=access_context,
        url_prefixes=url_prefixes(url),
        header=header,
        text=text or f"text of {name}",
        embedding_key=EmbeddingKey(f"key-{name}"),
        vector=direction(1.0) if vector is None else vector,
        observed_from=None if day_from is None else START + timedelta(days=day_from),
        observed_to=None if day_to is None else START + timedelta(days=day_to),
        mentions=None if mentions is None else Mentions(mentions, "rules/2"),
    )


def clause(
    *include: str, exclude: tuple[str, ...] = (), contexts: tuple[str, ...] = (PUBLIC,)
) -> ScopeClause:
    """Builds one scope's clause."""
    return ScopeClause(
        scope_id=ScopeId("scope"),
        include=frozenset(include) or EVERYTHING,
        exclude=frozenset(exclude),
        access_contexts=frozenset(contexts),
    )


def store_query(
    *clauses: ScopeClause,
    text: str = "",
    vector: FloatArray | None = None,
    limit: int = 10,
    day: int | None = None,
    pages: tuple[str, ...] | None = None,
    mentioning: tuple[str, ...] | None = None,
    with_mentions: bool = False,
) -> StoreQuery:
    """Builds a query; without a clause it admits everything public."""
    return StoreQuery(
        text=text,
        vector=direction(1.0) if vector is None else vector,
        scope_filter=ScopeFilter(clauses or (clause(),)),
        limit=limit,
        as_of=None if day is None else START + timedelta(days=day),
        also_pages=None if pages is None else frozenset(PageId(page) for page in pages),
        mentioning=None if mentioning is None else frozenset(mentioning),
        with_mentions=with_mentions,
    )


async def found(store: ChunkStore, query: StoreQuery) -> list[str]:
    """Returns the names of the chunks found, in order."""
    return [str(hit.chunk_id) for hit in await store.search(query)]
