"""An index in memory for ranking benchmarks: the real store, a URL prefix for each scope."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.shared.judged.vector_cache import CachingEmbedder
from scops.common.contract.ids import (
    ChunkId,
    PageId,
    ScopeId,
    embedded_text,
    embedding_key,
    object_id,
)
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.filter import ScopeClause, ScopeFilter
from scops.libraries.embedder.port import FloatArray
from scops.libraries.index.ports import ChunkObject, StoreHit, StoreQuery
from scops.libraries.index.sqlite.chunk_store import SqliteChunkStore
from scops.libraries.mentions.keys import mentions_text
from scops.libraries.mentions.port import Mentions
from scops.libraries.mentions.rules import read_by_rules

EVERYTHING = "bench"
INSERTED_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a corpus; `group` is the scope or page that it can be restricted to."""

    id: str
    header: str
    text: str
    group: str = ""


class PassageStore:
    """Passages in a store, found by their id; make one with `build`."""

    def __init__(self, store: SqliteChunkStore) -> None:
        self.store = store

    @classmethod
    def build(
        cls,
        passages: Sequence[Passage],
        embedder: CachingEmbedder,
        *,
        mentions: Sequence[Mentions | None] | None = None,
    ) -> "PassageStore":
        """Returns a store of passages.

        Args:
            mentions: of each passage; by the rules where not given.
        """
        store = SqliteChunkStore(
            None, embedder_id=embedder.embedder_id, dimensions=embedder.dimensions, inline=True
        )
        vectors = embedder.embed_now(embedded(passages))
        read = [read_by_rules(mentions_text(one.header, one.text)) for one in passages]
        objects = [
            _object(passage, vector, embedder.embedder_id, known)
            for passage, vector, known in zip(passages, vectors, mentions or read, strict=True)
        ]
        for start in range(0, len(objects), INSERTED_AT_ONCE):
            asyncio.run(store.insert(objects[start : start + INSERTED_AT_ONCE]))
        return cls(store)

    def search(
        self,
        text: str,
        vector: FloatArray,
        *,
        limit: int,
        group: str | None = None,
        mentioning: frozenset[str] | None = None,
    ) -> list[StoreHit]:
        """Returns the store's own hits with their mentions, of everything or of one group.

        Args:
            mentioning: only of what mentions one of these.
        """
        query = StoreQuery(
            text=text,
            vector=vector,
            scope_filter=filter_of(group or EVERYTHING),
            limit=limit,
            mentioning=mentioning,
            with_mentions=True,
        )
        return asyncio.run(self.store.search(query))


def filter_of(token: str) -> ScopeFilter:
    """Returns the filter that lets in what carries a token."""
    clause = ScopeClause(
        ScopeId(token),
        include=frozenset({token}),
        exclude=frozenset(),
        access_contexts=frozenset({PUBLIC}),
    )
    return ScopeFilter((clause,))


def embedded(passages: Sequence[Passage]) -> list[str]:
    """Returns the strings that are embedded for passages."""
    return [embedded_text(passage.header, passage.text) for passage in passages]


def grouped(passages: Sequence[Passage], groups: Mapping[str, str]) -> list[Passage]:
    """Returns the passages with the groups named by their ids."""
    return [Passage(p.id, p.header, p.text, groups[p.id]) for p in passages]


def _object(
    passage: Passage, vector: FloatArray, embedder_id: str, mentions: Mentions | None
) -> ChunkObject:
    chunk = ChunkId(passage.id)
    text = embedded_text(passage.header, passage.text)
    return ChunkObject(
        object_id=object_id(chunk, 0),
        chunk_id=chunk,
        page_id=PageId(passage.group or passage.id),
        access_context=PUBLIC,
        url_prefixes=(EVERYTHING, passage.group) if passage.group else (EVERYTHING,),
        header=passage.header,
        text=passage.text,
        embedding_key=embedding_key(embedder_id, text),
        vector=vector,
        mentions=mentions,
    )
