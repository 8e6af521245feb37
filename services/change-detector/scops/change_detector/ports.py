"""What the change-detector needs: its timelines, the archive, a chunker and a strategy."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.change_detector.chunking.chunker import Chunker
from scops.change_detector.settings import ChangeDetectorSettings
from scops.change_detector.strategies.port import ChangeStrategy
from scops.change_detector.templates.blocks import TemplateMask
from scops.change_detector.timeline.algebra import IncomingObservation
from scops.change_detector.timeline.records import (
    Dropped,
    DroppedCounts,
    HistoricVersion,
    HostTemplates,
    LeftBlobs,
    PageAddress,
    PageHistory,
    PageNewsPlace,
    Pin,
    PlacedObservation,
    PurgeBatch,
    RecordedVerdict,
    RememberedPage,
    SeenBlocks,
    SettledNews,
    TimelineSnapshot,
)
from scops.change_detector.timeline.runs import Observation
from scops.common.archive.ports import Archive
from scops.common.contract.ids import FetchId, PageId, VersionId
from scops.common.contract.messages.change import NewsPlace, PageMemory, VerifiedVersion
from scops.common.contract.messages.crawl import ConfirmedPage
from scops.common.contract.messages.types import OrderKey
from scops.common.processes.compute import Compute
from scops.common.runtime.clock import Clock
from scops.common.scope.book import ScopeBook


class Timelines(Protocol):
    """The timelines of all pages; each method is one transaction."""

    async def observation(self, fetch_id: FetchId) -> Observation | None:
        """Returns what a fetch showed; it never changes once recorded."""
        ...

    async def read(self, incoming: IncomingObservation) -> TimelineSnapshot:
        """Returns what decides about a incoming, as of the `sequence` it names.

        Raises:
            StoreUnavailable: the database does not answer.
        """
        ...

    async def read_many(
        self, incoming: Sequence[IncomingObservation]
    ) -> Sequence[TimelineSnapshot]:
        """Returns what `read` does of each, for observations of different pages."""
        ...

    async def commit(self, placed: Sequence[PlacedObservation]) -> Sequence[RecordedVerdict | None]:
        """Records changes of different pages under their locks, and the answers to what came in.

        Returns:
            Of each the answer; None, with nothing written of it, when its page has changed since
            `change.sequence`.

        Raises:
            StoreUnavailable: nothing was written, or everything was and the answers got lost.
        """
        ...


class SeenPages(Protocol):
    """The plain case of many timelines at once."""

    async def record(self, pages: Sequence[ConfirmedPage]) -> Sequence[VerifiedVersion]:
        """Records, in one transaction, the pages that show their newest version again.

        Returns:
            The versions of those, also where it was recorded before; of what is not as plain, or
            a second time among the pages, nothing.

        Raises:
            StoreUnavailable: the database does not answer.
        """
        ...


class HistoryReader(Protocol):
    """The same timelines, for reading."""

    async def history(
        self, page_id: PageId, *, limit: int, before: OrderKey | None = None
    ) -> PageHistory | None:
        """Returns a page's newest versions; None when no observation of it is recorded.

        Args:
            before: only versions of a lesser order key.
        """
        ...

    async def version(self, page_id: PageId, version_id: VersionId) -> HistoricVersion | None:
        """Returns a version of a page."""
        ...

    async def newest(
        self, page_id: PageId, *, before: datetime | None = None
    ) -> HistoricVersion | None:
        """Returns the newest version, of runs that opened before an instant if one is given."""
        ...

    async def standing(self, page_id: PageId, *, at: datetime) -> HistoricVersion | None:
        """Returns the version that stood at an instant; None where none did."""
        ...


class Addresses(Protocol):
    """The addresses of pages, so that a scope's rules can be matched when reading."""

    async def news_after(
        self,
        organisation_id: str,
        after: NewsPlace,
        *,
        until: NewsPlace,
        page_id: PageId | None = None,
        limit: int,
    ) -> Sequence[PageNewsPlace]:
        """Returns runs that are news behind a place, in the order in which they were recorded.

        Args:
            until: the last place that is told of.
            page_id: only this page; None for all.
        """
        ...

    async def newest_news(self, organisation_id: str) -> datetime | None:
        """Returns when the last news of an organisation was recorded; None where there is none."""
        ...

    async def moved_since(
        self, organisation_id: str, since: datetime, *, limit: int
    ) -> Sequence[PageAddress]:
        """Returns the pages that opened a run after an instant, newest first."""
        ...

    async def urls_of(self, page_ids: Sequence[PageId]) -> Mapping[PageId, str]:
        """Returns the canonical URLs of public pages, of those that are known."""
        ...


class RechunkQueue(Protocol):
    """Pages whose standing version is to be chunked anew."""

    async def outdated(
        self, organisation_id: str, chunking: str, *, limit: int
    ) -> Sequence[PageAddress]:
        """Returns pages whose standing version another chunker, embedder or mask made."""
        ...

    async def ask(self, page_ids: Sequence[PageId]) -> None:
        """Notes pages to be chunked anew; one that is noted already stays so."""
        ...

    async def waiting(self) -> int:
        """Returns how many pages are noted."""
        ...

    async def next(self, *, limit: int) -> Sequence[PageAddress]:
        """Returns some of the noted pages."""
        ...

    async def done(self, page_id: PageId) -> None:
        """Forgets a noted page."""
        ...

    async def newest_observation(self, page_id: PageId) -> Observation | None:
        """Returns the newest observation of a page."""
        ...


class RetentionStore(Protocol):
    """What may go, and what was told of it."""

    async def addresses(self, *, after: PageId, limit: int) -> Sequence[PageAddress]:
        """Returns pages that follow one in the order of their ids."""
        ...

    async def drop(
        self, page_id: PageId, *, ended_before: datetime, reason: str, now: datetime
    ) -> int:
        """Makes tombstones of the versions whose runs ended before an instant; returns how many.

        Versions with a pin that holds stay; the versions of the newest run have no end. What
        older fetches left in the archive becomes garbage with them, but for those that opened a
        version that is kept, and the newest.
        """
        ...

    async def untold(self, *, limit: int) -> Sequence[Dropped]:
        """Returns dropped versions that were not announced yet, those of a page together."""
        ...

    async def told(self, dropped: Sequence[Dropped], *, now: datetime) -> None:
        """Notes that versions were announced, and that their blobs may be garbage."""
        ...

    async def garbage(self, *, noted_before: datetime, limit: int) -> Sequence[str]:
        """Returns digests of blobs that may be garbage and are not set aside, longest first."""
        ...

    async def set_aside(self, digest: str, *, now: datetime) -> None:
        """Notes that a blob is about to be set aside."""
        ...

    async def aside(self, *, before: datetime, limit: int) -> Sequence[str]:
        """Returns digests of blobs that were set aside before an instant, longest first."""
        ...

    async def note_again(self, digest: str, *, now: datetime) -> None:
        """Notes that a blob which was set aside is there again, and may be garbage again."""
        ...

    async def referred(self, digest: str) -> bool:
        """Returns whether a version that is kept refers to a blob, or may do so unknown to us."""
        ...

    async def settled(self, digest: str) -> None:
        """Forgets a blob: it is deleted, or somebody refers to it."""
        ...

    async def undescribed(self, *, limit: int) -> Sequence[HistoricVersion]:
        """Returns kept versions whose document is not known, of an older release."""
        ...

    async def describe(self, version_id: VersionId, document_digest: str) -> None:
        """Notes the document of a version."""
        ...

    async def pin(self, pin: Pin) -> None:
        """Sets or replaces the pin of a version."""
        ...

    async def pin_cited(self, pins: Sequence[Pin]) -> None:
        """Sets the pins of cited versions; one that lasts as long, but for a day, runs."""
        ...

    async def unpin(self, version_id: VersionId) -> None:
        """Ends the pin of a version, if it has one."""
        ...

    async def pins(self, page_id: PageId, *, now: datetime) -> Mapping[VersionId, Pin]:
        """Returns the pins of a page that hold."""
        ...


class TimelineCompaction(Protocol):
    """Deletes what timelines need no more."""

    async def pages(self, *, after: PageId, limit: int) -> Sequence[PageId]:
        """Returns pages that follow one in the order of their ids."""
        ...

    async def compact(self, page_ids: Sequence[PageId], *, observed_before: datetime) -> int:
        """Deletes old observations inside of runs, with their verdicts; returns how many.

        The observations that name, begin or end a run stay, and so does the newest body, which a
        coming fetch may confirm, and whatever an older release wrote.
        """
        ...

    async def forget_pins(self, *, ended_before: datetime) -> None:
        """Deletes pins that ended before an instant; some at a time."""
        ...

    async def forget_news(self, *, recorded_before: datetime) -> bool:
        """Deletes news that were recorded before an instant, some at a time.

        Returns:
            Whether there may be more.
        """
        ...


class PurgeStore(Protocol):
    """Marks of purges, what each fetch left in the archive, and what of it has to go."""

    async def note_left(self, left: Sequence[LeftBlobs]) -> None:
        """Notes the blobs that fetches left in the archive; noting them again changes nothing."""
        ...

    async def purged_before(self, page_id: PageId) -> datetime | None:
        """Returns before which instant everything observed of a page is purged; None for never."""
        ...

    async def forget_left(self, page_id: PageId, *, before: datetime, now: datetime) -> None:
        """Makes garbage of what fetches before an instant left in the archive."""
        ...

    async def purge(
        self,
        page_id: PageId,
        batch: PurgeBatch,
        *,
        organisation_id: str,
        before: datetime,
        now: datetime,
    ) -> datetime | None:
        """Marks a page and drops what was observed of it before an instant.

        Versions whose runs were last seen before it become tombstones that hold no words, their
        blobs garbage. Nothing observed before it can be recorded from then on. Doing it again
        changes nothing and returns the same.

        Returns:
            Every version whose order key begins at or before this is purged; None for none.
        """
        ...

    async def complete(
        self,
        batch: PurgeBatch,
        digests: Collection[str],
        *,
        organisation_id: str,
        before: datetime,
    ) -> DroppedCounts:
        """Notes further garbage of a batch, and that all of its pages are dropped.

        Args:
            before: the mark of the purge.

        Returns:
            What the batch has dropped, whoever was interrupted meanwhile.
        """
        ...

    async def waiting_blobs(self, *, after: str, limit: int) -> Sequence[tuple[str, datetime]]:
        """Returns garbage that purges wait for, by digest, with the mark of the purge."""
        ...

    async def gone_batches(self) -> Sequence[tuple[PurgeBatch, str, DroppedCounts]]:
        """Returns complete batches that wait for no blob, with their organisation."""
        ...

    async def forget_batch(self, batch: PurgeBatch) -> None:
        """Forgets a batch that was reported."""
        ...

    async def scrub(self) -> None:
        """Leaves nothing of deleted rows on the disk, as far as the database can be told to."""
        ...

    async def counts(self, page_ids: Sequence[PageId], *, before: datetime) -> dict[str, int]:
        """Returns how much of each kind a purge of some pages would drop."""
        ...


class TemplateStore(Protocol):
    """What hosts repeat."""

    async def mask(self, organisation_id: str, host: str) -> TemplateMask:
        """Returns the newest mask of a host; an empty one where nothing was learned."""
        ...

    async def pending(self, *, limit: int) -> Sequence[PageAddress]:
        """Returns pages with news that nothing was learned from yet, those of a host together."""
        ...

    async def learn(self, organisation_id: str, host: str, seen: Sequence[SeenBlocks]) -> int:
        """Notes what pages of a host show, and renews its mask where that makes a difference.

        Noting the same again changes nothing. A page that had news since it was read goes on
        being pending.

        Returns:
            The epoch of the host's mask.
        """
        ...

    async def of_host(self, organisation_id: str, host: str, *, limit: int) -> HostTemplates:
        """Returns a host's templates."""
        ...

    async def hosts(self, organisation_id: str) -> Sequence[str]:
        """Returns the hosts that repeat anything, by name."""
        ...


class PageMemories(Protocol):
    """What the histories of pages teach; timelines write it with each new text."""

    async def read(self, page_id: PageId) -> RememberedPage:
        """Returns what is remembered of a page; an empty memory where nothing is."""
        ...

    async def due(self, *, limit: int) -> Sequence[PageAddress]:
        """Returns some pages on which a silent change has come to stay."""
        ...

    async def replace(
        self, page_id: PageId, memory: PageMemory, *, look: int, news: SettledNews | None = None
    ) -> bool:
        """Remembers something else of a page, and notes what is news for that.

        Args:
            look: the page's sequence that this was made of.

        Returns:
            False, with nothing written, when the page has changed since.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDetectorPorts:
    """What handlers and queries are given."""

    timelines: Timelines
    seen_pages: SeenPages
    histories: HistoryReader
    addresses: Addresses
    rechunks: RechunkQueue
    templates: TemplateStore
    memories: PageMemories
    retention: RetentionStore
    compaction: TimelineCompaction
    purges: PurgeStore
    scopes: ScopeBook
    archive: Archive
    chunker: Callable[[], Awaitable[Chunker]]
    strategy: ChangeStrategy
    compute: Compute
    clock: Clock
    settings: ChangeDetectorSettings
