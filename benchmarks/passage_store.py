"""An index in memory for ranking benchmarks: the real store, a URL prefix for each scope."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scops.common.embedder.port import Embedder, FloatArray
from scops.common.ids import ChunkId, PageId, ScopeId, embedded_text, embedding_key, object_id
from scops.common.index.ports import ChunkObject, StoreHit, StoreQuery
from scops.common.index.sqlite_chunk_store import SqliteChunkStore
from scops.common.scope.filter import PUBLIC, ScopeClause, ScopeFilter

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
        cls, passages: Sequence[Passage], vectors: FloatArray, embedder: Embedder
    ) -> "PassageStore":
        """Returns a store of passages.

        Args:
            vectors: shape (len(passages), dimensions).
        """
        store = SqliteChunkStore(
            None, embedder_id=embedder.embedder_id, dimensions=embedder.dimensions, inline=True
        )
        objects = [
            _object(passage, vector, embedder.embedder_id)
            for passage, vector in zip(passages, vectors, strict=True)
        ]
        for start in range(0, len(objects), INSERTED_AT_ONCE):
            asyncio.run(store.insert(objects[start : start + INSERTED_AT_ONCE]))
        return cls(store)

    def search(
        self, text: str, vector: FloatArray, *, limit: int, group: str | None = None
    ) -> list[StoreHit]:
        """Returns the store's own hits, of everything or of one group."""
        query = StoreQuery(
            text=text, vector=vector, scope_filter=filter_of(group or EVERYTHING), limit=limit
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


def _object(passage: Passage, vector: FloatArray, embedder_id: str) -> ChunkObject:
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
    )
