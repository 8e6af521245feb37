"""The index as ports: chunk objects in a store, and heads and versions in rows.

The indexer is the only writer. A chunk object is immutable but for its URL prefixes; no object
says whether it is current: the head's manifest does.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scops.common.contract.ids import ChunkId, EmbeddingKey, ObjectId, PageId, VersionId, WordingId
from scops.common.contract.messages.change import VersionRow
from scops.common.contract.messages.types import BodyRef, OrderKey
from scops.common.scope.filter import ScopeFilter
from scops.libraries.mentions.port import Mentions

FloatArray = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkObject:
    """A chunk as the store holds it.

    Attributes:
        object_id: UUIDv5(chunk_id, incarnation); a chunk that comes back after the sweeper
            gets the next incarnation.
        url_prefixes: `urls.url_prefixes` of the page's canonical URL.
        vector: shape (dimensions,), unit length; of the embedded string header + text.
        observed_from, observed_to: on history objects a prefilter that may be too wide.
        mentions: None on what was indexed before mentions were stored.
    """

    object_id: ObjectId
    chunk_id: ChunkId
    page_id: PageId
    access_context: str
    url_prefixes: tuple[str, ...]
    header: str
    text: str
    embedding_key: EmbeddingKey
    vector: FloatArray
    observed_from: datetime | None = None
    observed_to: datetime | None = None
    mentions: Mentions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreQuery:
    """A hybrid query under a scope filter.

    Attributes:
        text: for BM25 over header and text; operators of the store's language have no meaning.
        vector: shape (dimensions,), unit length; or what will give it, so that a store may look
            the words up while the text is embedded.
        limit: at most this many hits from the vector side, and as many from BM25.
        as_of: None searches the live objects; an instant searches live and history.
        also_pages: extra restriction to these pages; None for no restriction.
        mentioning: extra restriction to objects that are stored with one of these mentions; None
            for no restriction.
        with_mentions: hits carry what is stored of their mentions.
        on_bm25_hits: called with the hits of BM25 where a store has them before the others, so that
            the asker can look them up meanwhile.
    """

    text: str
    vector: FloatArray | asyncio.Future[FloatArray]
    scope_filter: ScopeFilter
    limit: int
    as_of: datetime | None = None
    also_pages: frozenset[PageId] | None = None
    mentioning: frozenset[str] | None = None
    with_mentions: bool = False
    on_bm25_hits: Callable[[Sequence["StoreHit"]], None] | None = None

    async def known_vector(self) -> FloatArray:
        """Returns the vector, of shape (dimensions,), as soon as it is known.

        Raises:
            What made it impossible to have.
        """
        return await self.vector if isinstance(self.vector, asyncio.Future) else self.vector


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHit:
    """A chunk that a store query found; a side that did not find it has no score.

    Attributes:
        similarity: cosine in [-1, 1], always computed for a hit, from either side.
        bm25: the store's BM25 score, higher is better; None when BM25 did not find it.
        mentions: the keys stored with it; None where none were, or where nobody asked.
    """

    object_id: ObjectId
    chunk_id: ChunkId
    page_id: PageId
    text: str
    header: str
    similarity: float
    bm25: float | None
    mentions: frozenset[str] | None = None


class ChunkStore(Protocol):
    """Chunk objects, live (`Passage`) and historical (`PassageHistory`)."""

    async def insert(self, objects: Sequence[ChunkObject]) -> None:
        """Adds live objects; an object_id that is there already changes nothing.

        Raises:
            StoreUnavailable: nothing or a part was stored; inserting again completes it.
            PermanentError: a vector has another dimension than the store's embedder.
        """
        ...

    async def insert_history(self, objects: Sequence[ChunkObject]) -> None:
        """Adds historical objects, with their intervals.

        One that is there already keeps everything, but its interval grows to hold the new one:
        it may be too wide, never too narrow. An interval without an end stays so.

        Raises:
            StoreUnavailable, PermanentError: as `insert`.
        """
        ...

    async def delete(self, object_ids: Sequence[ObjectId]) -> None:
        """Removes live objects; one that is not there changes nothing."""
        ...

    async def remove(self, object_ids: Sequence[ObjectId], *, history: bool) -> None:
        """Removes live or historical objects; one that is not there changes nothing."""
        ...

    async def embedding_keys(self, object_ids: Sequence[ObjectId]) -> frozenset[EmbeddingKey]:
        """Returns what live and historical objects were embedded by; absent ones have none."""
        ...

    async def erase(self, object_ids: Sequence[ObjectId]) -> None:
        """Removes live and historical objects from every generation, whoever's it is.

        Raises:
            StoreUnavailable: some may be left; erasing again completes it.
        """
        ...

    async def scrub(self) -> None:
        """Lets go of what the store itself keeps of erased objects, as far as it can be told to."""
        ...

    async def set_prefixes(self, page_id: PageId, url_prefixes: tuple[str, ...]) -> None:
        """Rewrites the prefixes of a page's objects, live and historical.

        It changes the objects that are there, none that are inserted later.
        """
        ...

    async def search(self, query: StoreQuery) -> list[StoreHit]:
        """Returns the union of the best vector and BM25 hits, best similarity first.

        Only objects that the scope filter admits; each chunk_id at most once, also when live
        and history both hold it.

        Raises:
            StoreUnavailable: the store does not answer.
            PermanentError: the query's vector has another dimension than the store's embedder.
        """
        ...

    async def get(self, object_ids: Sequence[ObjectId]) -> list[ChunkObject]:
        """Returns the live objects with these ids, in any order; absent ones are left out."""
        ...

    async def count(self) -> tuple[int, int]:
        """Returns how many live and how many historical objects there are."""
        ...


class OpenChunkStore(ChunkStore, Protocol):
    """A chunk store as its process holds it."""

    @property
    def interruptions(self) -> int:
        """How often the store was away and answered again; what was written before that may be
        damaged. Always 0 for a file."""
        ...

    async def open(self) -> None:
        """Opens the store now rather than at the first call, and checks that it is ours.

        Raises:
            StoreUnavailable: it does not answer, or was not provisioned yet.
            PermanentError: it belongs to another embedder, or has another format.
        """
        ...

    async def ping(self) -> None:
        """Asks the store for a sign of life.

        Raises:
            StoreUnavailable: it does not answer.
        """
        ...

    async def check_write(self) -> None:
        """Asks for a write that changes nothing, to see whether the store would take one now.

        Raises:
            StoreUnavailable: it would not.
        """
        ...

    async def close(self) -> None:
        """Closes it; it must not be used afterwards."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The one mutable pointer of a page: what is current."""

    page_id: PageId
    order_key: OrderKey
    version_id: VersionId
    closed: bool
    closed_reason: str
    manifest: BodyRef | None
    canonical_url: str
    access_context: str
    verified_time: datetime
    visible_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedChunk:
    """A chunk that its page's head lists.

    Attributes:
        wording_id: what it says; None where that was never recorded.
    """

    chunk_id: ChunkId
    head: Head
    wording_id: WordingId | None = None


class HeadReader(Protocol):
    """What the retriever reads of the indexer's rows."""

    async def heads(self, page_ids: Sequence[PageId]) -> Mapping[PageId, Head]:
        """Returns the heads of the pages that have one, in one query."""
        ...

    async def listed(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, ListedChunk]:
        """Returns those of some chunks that a head lists now; each batch of them in one query.

        A chunk and its head are of one instant.
        """
        ...

    async def standing(
        self, page_ids: Sequence[PageId], at: datetime
    ) -> Mapping[PageId, VersionRow]:
        """Returns per page the version that stood at an instant, in one query.

        That is the row with first_observed_time (else observed_from) <= at < observed_to; of
        several revisions of one stay the greatest.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MirroredChunk:
    """A chunk that its page's head lists, among those of one wording."""

    chunk_id: ChunkId
    page_id: PageId
    canonical_url: str
    access_context: str


class MirrorReader(Protocol):
    """What the retriever reads of which chunks say the same."""

    async def wordings(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, WordingId]:
        """Returns what each chunk says; one indexed before this was recorded is left out."""
        ...

    async def listed(
        self, wording_ids: Sequence[WordingId], *, limit: int
    ) -> Mapping[WordingId, Sequence[MirroredChunk]]:
        """Returns the chunks of each wording that heads list now, by page id.

        Args:
            limit: at most this many of each.
        """
        ...


class ObjectReader(Protocol):
    """What the retriever reads of where chunks are in the store."""

    async def live_objects(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, ObjectId]:
        """Returns the live object of each chunk that has one."""
        ...
