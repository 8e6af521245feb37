"""The index's rows as reconcile and rebuild read them, whole pages at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from scops.common.contract import ids
from scops.common.contract.ids import ChunkId, EmbeddingKey, ObjectId, PageId
from scops.common.contract.messages.change import VersionRow
from scops.common.contract.messages.types import OrderKey
from scops.indexer.objects.interval import VersionInterval
from scops.indexer.ports import ChunkClaim, IndexerPorts
from scops.indexer.upkeep.held_vectors import HeldVectors
from scops.libraries.index.ports import FloatArray, Head
from scops.libraries.index.upkeep import MaintainedStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRow:
    """A chunk that ever was an object.

    Attributes:
        is_live: otherwise it is retiring, or gone to the history long ago.
        stored: its object is known to be in the store.
        listed: the page's head lists it.
        leaving: objects of it are still to be deleted by the sweeper.
        dropped: no kept version lists it any more.
    """

    chunk_id: ChunkId
    page_id: PageId
    incarnation: int
    is_live: bool
    stored: bool
    listed: bool
    leaving: bool
    dropped: bool
    interval: VersionInterval

    @property
    def object_id(self) -> ObjectId:
        """The id of its present or last object."""
        return ids.object_id(self.chunk_id, self.incarnation)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageInventory:
    """What the rows say of one page, all of one moment.

    Attributes:
        versions: newest first.
    """

    head: Head
    versions: tuple[VersionRow, ...]
    chunks: tuple[ChunkRow, ...]

    @property
    def page_id(self) -> PageId:
        return self.head.page_id


class IndexInventory(Protocol):
    """Reads across pages; every method is one transaction.

    Every method raises StoreUnavailable when the database does not answer.
    """

    async def pages(self, *, after: PageId, limit: int) -> Sequence[PageId]:
        """Returns the pages with a head that follow one in the order of their ids."""
        ...

    async def applied_since(self, instant: datetime) -> Sequence[PageId]:
        """Returns the pages that a verdict was applied to since an instant, by id."""
        ...

    async def healthy_time(self) -> datetime:
        """Returns when the store was last noted to be well; the epoch where it never was."""
        ...

    async def note_healthy(self, *, now: datetime) -> None:
        """Notes that the store is well, and that nothing of before is left to look at."""
        ...

    async def look(self, page_ids: Sequence[PageId]) -> Sequence[PageInventory]:
        """Returns what is known of the pages that have a head, in the order of their ids."""
        ...

    async def chunk_rows(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, ChunkRow]:
        """Returns the rows of those chunks that have one."""
        ...

    async def vectors(self, keys: Sequence[EmbeddingKey]) -> Mapping[EmbeddingKey, FloatArray]:
        """Returns cached vectors, without noting a use.

        Returns:
            Each of shape (dimensions,), unit length.
        """
        ...

    async def relist(
        self,
        page_id: PageId,
        order_key: OrderKey,
        listed: Sequence[ChunkId],
        claims: Mapping[ChunkId, ChunkClaim],
        *,
        now: datetime,
    ) -> bool:
        """Says which chunks a page's head lists; returns whether it did.

        Not when the head has moved from the order key, or a claim was taken back.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceTools:
    """Everything that reconcile and rebuild reach.

    Attributes:
        store: what is looked through; `ports.store` is what serves.
        held: another generation, whose vectors are taken over.
    """

    ports: IndexerPorts
    inventory: IndexInventory
    store: MaintainedStore
    held: HeldVectors = field(default_factory=HeldVectors)
