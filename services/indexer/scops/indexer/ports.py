"""What the handlers and the sweeper of the indexer need.

Every method of `IndexRows` is one transaction.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.common.archive.ports import Archive
from scops.common.contract.ids import ChunkId, EmbeddingKey, EventId, ObjectId, PageId, VersionId
from scops.common.contract.messages.change import Verdict, VerifiedVersion, VersionRow
from scops.common.contract.messages.index import IndexFailed, IndexOutcome, VersionIndexed
from scops.common.contract.messages.types import BodyRef
from scops.common.processes.compute import Compute, compute_at_once
from scops.common.runtime.clock import Clock
from scops.indexer.objects.interval import VersionInterval
from scops.indexer.settings import IndexerSettings
from scops.libraries.index.manifest_reader import ManifestReader
from scops.libraries.index.ports import ChunkStore, FloatArray, Head
from scops.libraries.index.wording import Wording
from scops.libraries.mentions.port import MentionExtractor

Answer = VersionIndexed | IndexFailed
# Why a verdict that a purge has overtaken is looked at again.
PURGED_MEANWHILE = "PURGED_MEANWHILE"


class VectorSource(Protocol):
    """The embedder as the indexer uses it."""

    async def embedder_id(self) -> str: ...

    async def embed(self, texts: Sequence[str], *, urgent: bool) -> FloatArray:
        """Returns shape (len(texts), dimensions): unit rows in the order of the texts.

        Args:
            urgent: a person waits; do not queue behind the texts of crawls.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PageState:
    """What the index knows of a page before a verdict is applied.

    Attributes:
        answer: what this very verdict was answered with before.
        prefixes_stale: the store's URL prefixes may not be those of the head.
        intervals: of the asked-for versions that are known, when they stood.
        purged_through: every version that began at or before this is purged; None for none.
    """

    answer: Answer | None
    head: Head | None
    prefixes_stale: bool
    intervals: Mapping[VersionId, VersionInterval]
    purged_through: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSpan:
    """A chunk that versions list, and when they stood."""

    chunk_id: ChunkId
    interval: VersionInterval


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkClaim:
    """A chunk made live for a handler that is about to list it.

    Attributes:
        stored: its object is in the store; otherwise whoever claims it inserts it.
        contested: somebody claimed it before and may have inserted it, under another URL.
    """

    incarnation: int
    stored: bool
    contested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadChange:
    """What a verdict wants of its page's rows.

    Attributes:
        listed: the chunks of the target version, each once; None when the head was seen to
            stand at the verdict's key or beyond, so that it cannot move.
        claims: every chunk whose object was found or put in the store; what was put carries
            the prefixes of the verdict's URL.
        wordings: of the chunks that were put; whoever says the same as another is recorded.
        versions: rows to insert, or to replace where their row_revision is greater.
        outcome_standing: what to answer when the head stands at the verdict's key already.
        embedded: how many texts were embedded for it.
        purged_through: what the page's state said of purges when this was planned.
    """

    verdict: Verdict
    event_id: EventId
    reason: str
    listed: tuple[ChunkId, ...] | None
    claims: Mapping[ChunkId, ChunkClaim]
    wordings: Mapping[ChunkId, Wording]
    versions: tuple[VersionRow, ...]
    outcome_standing: IndexOutcome
    embedded: int
    purged_through: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedVerdict:
    """The answer to a verdict, and whether the store's prefixes have to be written."""

    answer: Answer
    prefixes_stale: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefixTicket:
    """The right to write a page's prefixes; the newest ticket wins."""

    number: int
    canonical_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlistedChunk:
    """A live chunk that no head has listed for long.

    Attributes:
        prefix_ticket: the page's newest ticket when this was read; -1 without a head.
    """

    chunk_id: ChunkId
    page_id: PageId
    incarnation: int
    interval: VersionInterval
    prefix_ticket: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DueDeletion:
    """A chunk with objects of past incarnations that are to be deleted."""

    chunk_id: ChunkId
    incarnation: int
    state: str
    object_ids: tuple[ObjectId, ...]


class IndexRows(Protocol):
    """Heads, page versions, chunk rows, vector cache and answers.

    Every method raises StoreUnavailable when the database does not answer; then nothing of it
    took effect.
    """

    async def page_state(
        self, page_id: PageId, event_id: EventId, version_ids: Sequence[VersionId]
    ) -> PageState:
        """Returns what is known; reads only."""
        ...

    async def claim(
        self, page_id: PageId, spans: Sequence[ChunkSpan], *, now: datetime
    ) -> Mapping[ChunkId, ChunkClaim]:
        """Makes chunks live and keeps the sweeper off them for its whole age from now.

        An absent or retiring chunk gets its next incarnation.
        """
        ...

    async def vectors(
        self, keys: Sequence[EmbeddingKey], *, now: datetime
    ) -> Mapping[EmbeddingKey, FloatArray]:
        """Returns the cached vectors among these, and notes their use.

        Returns:
            Each of shape (dimensions,), unit length.
        """
        ...

    async def keep_vectors(
        self, vectors: Mapping[EmbeddingKey, FloatArray], *, now: datetime
    ) -> None:
        """Caches vectors; one that is there already stays.

        Args:
            vectors: each of shape (dimensions,), unit length.
        """
        ...

    async def apply(self, change: HeadChange, *, now: datetime) -> AppliedVerdict | None:
        """Brings the head to the verdict's state and records the answer.

        The head moves only to a greater order key, and only if every claimed chunk is live in
        the claimed incarnation; None when one is not, and nothing changed: claim again.
        A verdict that was answered before gets the same answer.

        Raises:
            TransientError: the page was purged since the change was planned.
        """
        ...

    async def verify(self, versions: Sequence[VerifiedVersion]) -> Sequence[VerifiedVersion]:
        """Moves the verified times of open heads that stand at just these versions and URLs.

        Returns:
            Those of the versions that heads stand at, whether their times moved or not.
        """
        ...

    async def record_failure(self, event_id: EventId, failure: IndexFailed) -> Answer:
        """Records and returns a failure, or returns the answer recorded before."""
        ...

    async def purge(self, page_id: PageId, through: datetime, *, now: datetime) -> None:
        """Marks a page: versions that began at or before an instant are gone, and stay so.

        Their rows go, and a head that stands at one closes. Marking again changes nothing else.
        """
        ...

    async def kept_manifests(self, page_id: PageId) -> Sequence[BodyRef]:
        """Returns the manifests of the versions of a page that are left."""
        ...

    async def retire_purged(
        self, page_id: PageId, kept: Collection[ChunkId], *, now: datetime
    ) -> Mapping[ChunkId, int]:
        """Retires the chunks of a page that neither its head lists nor `kept` names.

        Returns:
            Their newest incarnations. Whoever claims one of them afterwards gets the next.
        """
        ...

    async def forget_vectors(self, keys: Sequence[EmbeddingKey]) -> None:
        """Drops cached vectors."""
        ...

    async def unsettled_purges(self, noted_before: datetime, limit: int) -> Sequence[PageId]:
        """Returns pages that were marked before an instant and not gone over again since."""
        ...

    async def note_settled(self, page_id: PageId) -> None:
        """Notes that a marked page was gone over again."""
        ...

    async def scrub(self) -> None:
        """Leaves nothing of deleted rows on the disk, as far as the database can be told to."""
        ...

    async def open_prefixes(self, page_id: PageId) -> PrefixTicket | None:
        """Marks a page's prefixes as stale and returns what to write; None without a head."""
        ...

    async def close_prefixes(self, page_id: PageId, ticket: PrefixTicket) -> bool:
        """Marks them as written, unless a newer ticket was opened; returns whether it did."""
        ...

    async def stale_pages(self, limit: int) -> Sequence[PageId]:
        """Returns pages whose prefixes may be stale, by id."""
        ...

    async def unlisted(self, before: datetime, limit: int) -> Sequence[UnlistedChunk]:
        """Returns live chunks that no head has listed since `before`, longest first."""
        ...

    async def retire(self, chunks: Sequence[UnlistedChunk], before: datetime) -> int:
        """Marks chunks as retiring, with their pages' heads locked; returns how many.

        Only a chunk that is still live in the same incarnation, unlisted since `before`, and
        whose page's prefixes were not rewritten meanwhile: where they were, its copy in the
        history may hold old ones, and the page's prefixes are marked stale.
        """
        ...

    async def due_deletions(self, limit: int) -> Sequence[DueDeletion]:
        """Returns chunks with objects to delete, by id."""
        ...

    async def note_deleted(self, chunks: Sequence[DueDeletion]) -> None:
        """Notes that objects were deleted, for chunks that did not change meanwhile."""
        ...

    async def drop_versions(
        self, page_id: PageId, version_ids: Sequence[VersionId]
    ) -> Sequence[VersionRow]:
        """Forgets versions of a page, but never the one its head stands at; returns the rest."""
        ...

    async def incarnations(self, chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, int]:
        """Returns the newest incarnation of each chunk that ever was an object."""
        ...

    async def note_dropped(self, chunk_ids: Sequence[ChunkId], *, now: datetime) -> None:
        """Notes since when no kept version lists these chunks; one that a head lists stays."""
        ...

    async def forget_chunks(self, *, dropped_before: datetime, limit: int) -> int:
        """Deletes the rows of chunks that no version has listed since an instant; says how many.

        Only of those whose objects are deleted; the bands of wordings that nobody has go too.
        """
        ...

    async def forget(self, *, answered_before: datetime, vectors_max: int, limit: int) -> None:
        """Drops old answers, and the longest unused vectors above a number."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexerPorts:
    """Everything the handlers and the sweeper reach.

    Attributes:
        compute: reads the words of what may be long.
    """

    archive: Archive
    manifests: ManifestReader
    vectors: VectorSource
    mentions: MentionExtractor
    rows: IndexRows
    store: ChunkStore
    clock: Clock
    settings: IndexerSettings
    compute: Compute = compute_at_once
