"""What reconcile and rebuild need of a chunk store beyond the port that serves questions."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.contract.ids import ChunkId, EmbeddingKey, ObjectId, PageId
from scops.libraries.index.ports import ChunkObject, FloatArray, OpenChunkStore, StoreQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A stored object without its texts and its vector.

    Attributes:
        observed_from, observed_to: of a history object; an open side is None.
    """

    object_id: ObjectId
    chunk_id: ChunkId
    page_id: PageId
    url_prefixes: tuple[str, ...]
    observed_from: datetime | None
    observed_to: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """How much of what a vector search should have found it did find.

    Attributes:
        expected: objects that a comparison of every object puts among the nearest.
        found: those of them that the search returned.
    """

    expected: int
    found: int


class MaintainedStore(OpenChunkStore, Protocol):
    """A chunk store whose content can be looked through and mended."""

    def scan(self, *, history: bool) -> AsyncIterator[Sequence[StoredChunk]]:
        """Yields every live or historical object, in batches, in any order.

        What is written meanwhile may come or not.
        """
        ...

    async def look_up(
        self, object_ids: Sequence[ObjectId], *, history: bool
    ) -> Sequence[StoredChunk]:
        """Returns the objects with these ids, in any order; absent ones are left out."""
        ...

    async def unfindable(self, objects: Sequence[ChunkObject]) -> frozenset[ObjectId]:
        """Returns which of some live objects a search for their own vector does not find.

        Args:
            objects: as `get` returned them.
        """
        ...

    async def vectors(self, object_ids: Sequence[ObjectId]) -> Mapping[EmbeddingKey, FloatArray]:
        """Returns the vectors of live and historical objects by what was embedded.

        Absent objects have none; a damaged one has what the store returns for it.

        Returns:
            Each of shape (dimensions,) where it is sound.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        ...

    async def recall(self, query: StoreQuery, *, slice_key: str) -> Recall | None:
        """Compares the vector search of a query with a comparison of every object.

        Args:
            slice_key: hexadecimal digits by chance; a large index is compared on the pages whose
                ids begin with the first of them.

        Returns:
            None where the store compares every object anyway.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        ...


class Generations(Protocol):
    """The generations of an organisation's index: one serves, another is being built."""

    async def create(self) -> MaintainedStore:
        """Returns an empty generation for our embedder, or one that a rebuild left unfinished."""
        ...

    async def switch(self) -> str:
        """Makes the created generation the one that serves; returns its name.

        The one before stays as it is, without being written from now on.
        """
        ...

    async def drop_old(self) -> Sequence[str]:
        """Deletes every generation that no alias or link names, and returns their names."""
        ...

    async def close(self) -> None:
        """Closes what was opened."""
        ...
