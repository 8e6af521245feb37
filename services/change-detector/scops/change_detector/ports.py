"""What the change-detector needs: its timelines, the archive, a chunker and a strategy."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scops.change_detector.chunker import Chunker
from scops.change_detector.compute import Compute
from scops.change_detector.manifest import AlignmentBounds
from scops.change_detector.settings import ChangeDetectorSettings
from scops.change_detector.stays import (
    Neighbourhood,
    NewVersion,
    Observation,
    TimelineChange,
    VerdictKind,
)
from scops.change_detector.strategy import ChangeStrategy
from scops.change_detector.template_learning import PageBlocks, Template
from scops.change_detector.templates import BlockKey, TemplateMask
from scops.change_detector.timeline import Sighting
from scops.common.archive.ports import Archive
from scops.common.clock import Clock
from scops.common.ids import FetchId, PageId, VersionId
from scops.common.messages.change import VersionRow
from scops.common.messages.types import BodyRef, ChangeSummary, OrderKey
from scops.common.scope.book import ScopeBook


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenVersion:
    """A new version whose manifest is in the archive.

    Attributes:
        left_out_blocks: blocks that its host repeats and that no chunk holds.
    """

    version: NewVersion
    chunking: str
    template_epoch: int = 0
    manifest: BodyRef
    summary: ChangeSummary
    title: str
    chunk_count: int
    left_out_blocks: int = 0
    document_digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where the page stands: its newest stay.

    Attributes:
        version_id, manifest: empty and None when closed.
        verified_time: the newest observation of the newest stay.
    """

    order_key: OrderKey
    version_id: VersionId
    manifest: BodyRef | None
    verified_time: datetime

    @property
    def closed(self) -> bool:
        """The page's newest stay is one of being gone."""
        return self.manifest is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What an observation was answered with, and how its page stands now.

    Attributes:
        summary: of the version that the observation opened; None when it opened none.
        rows: of the versions that the observation touched, and of the target, as they are now.
    """

    kind: VerdictKind
    observed_time: datetime
    late: bool
    pipeline_changed: bool
    restored_version_id: VersionId
    reason: str
    moved_to: str
    summary: ChangeSummary | None
    target: Target
    rows: tuple[VersionRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What is known before an observation is placed.

    Attributes:
        recorded: the answer, when this fetch and pipeline was answered before.
        known: the observation, when this fetch was recorded (perhaps by another pipeline).
        around: the neighbourhood of the recorded observation, else of the one that comes in.
    """

    recorded: Recorded | None
    known: Observation | None
    around: Neighbourhood


class Timelines(Protocol):
    """The timelines of all pages; each method is one transaction."""

    async def observation(self, fetch_id: FetchId) -> Observation | None:
        """Returns what a fetch showed; it never changes once recorded."""
        ...

    async def read(self, sighting: Sighting) -> Reading:
        """Returns what decides about a sighting, as of the `sequence` it names.

        Raises:
            StoreUnavailable: the database does not answer.
        """
        ...

    async def commit(
        self, sighting: Sighting, change: TimelineChange, versions: Sequence[WrittenVersion]
    ) -> Recorded | None:
        """Records a change under the page's lock, and the answer to the sighting.

        Args:
            versions: one for each of `change.new_versions`, in order.

        Returns:
            None, with nothing written, when the page has changed since `change.sequence`.

        Raises:
            StoreUnavailable: nothing was written, or everything was and the answer got lost.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoricVersion:
    """A version with the stay it belongs to.

    Attributes:
        changed_after: last observation of the stay before; the change happened after it.
        dropped_time, dropped_reason: since when and why it is not kept; its blobs may be gone.
    """

    version_id: VersionId
    order_key: OrderKey
    observed_to: datetime | None
    last_observed: datetime
    changed_after: datetime | None
    text_digest: str
    title: str
    summary: ChangeSummary
    pipeline_changed: bool
    compared_with: VersionId
    restored_version_id: VersionId
    manifest: BodyRef
    chunk_count: int
    dropped_time: datetime | None = None
    dropped_reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHistory:
    """The newest versions of a page, newest first, and since when and why it is closed."""

    versions: tuple[HistoricVersion, ...]
    closed_time: datetime | None = None
    closed_reason: str = ""


class Histories(Protocol):
    """The same timelines, for reading."""

    async def history(self, page_id: PageId, *, limit: int) -> PageHistory | None:
        """Returns a page's newest versions; None when no observation of it is recorded."""
        ...

    async def version(self, page_id: PageId, version_id: VersionId) -> HistoricVersion | None:
        """Returns a version of a page."""
        ...

    async def newest(
        self, page_id: PageId, *, before: datetime | None = None
    ) -> HistoricVersion | None:
        """Returns the newest version, of stays that opened before an instant if one is given."""
        ...

    async def appearances(self, page_id: PageId, text_digest: str) -> int:
        """Returns how many stays of a page showed a text."""
        ...

    async def standing(self, page_id: PageId, *, at: datetime) -> HistoricVersion | None:
        """Returns the version that stood at an instant; None where none did."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAddress:
    """Where a page stands on the web, as of its last verdict that brought something new.

    Attributes:
        news: how many such verdicts it had.
    """

    page_id: PageId
    organisation_id: str
    access_context: str
    canonical_url: str
    news: int = 0


class Addresses(Protocol):
    """The addresses of pages, so that a scope's rules can be matched when reading."""

    async def note(self, address: PageAddress) -> None:
        """Records an address; the newest one of a page wins."""
        ...

    async def moved_since(
        self, organisation_id: str, since: datetime, *, limit: int
    ) -> Sequence[PageAddress]:
        """Returns the pages that opened a stay after an instant, newest first."""
        ...

    async def urls_of(self, page_ids: Sequence[PageId]) -> Mapping[PageId, str]:
        """Returns the canonical URLs of public pages, of those that are known."""
        ...


class Rechunks(Protocol):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A version that is not kept any more, of which others have not heard yet."""

    version_id: VersionId
    page_id: PageId
    organisation_id: str
    manifest: BodyRef
    text_digest: str
    document_digest: str
    reason: str
    dropped_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Keeps a version until an instant, whatever its age."""

    version_id: VersionId
    page_id: PageId
    until: datetime
    note: str


class Retention(Protocol):
    """What may go, and what was told of it."""

    async def addresses(self, *, after: PageId, limit: int) -> Sequence[PageAddress]:
        """Returns pages that follow one in the order of their ids."""
        ...

    async def drop(
        self, page_id: PageId, *, ended_before: datetime, reason: str, now: datetime
    ) -> int:
        """Makes tombstones of the versions whose stays ended before an instant; returns how many.

        Versions with a pin that holds stay; the versions of the newest stay have no end.
        """
        ...

    async def untold(self, *, limit: int) -> Sequence[Dropped]:
        """Returns dropped versions that were not announced yet, those of a page together."""
        ...

    async def told(self, dropped: Sequence[Dropped], *, now: datetime) -> None:
        """Notes that versions were announced, and that their blobs may be garbage."""
        ...

    async def garbage(self, *, noted_before: datetime, limit: int) -> Sequence[str]:
        """Returns digests of blobs that may be garbage, longest first."""
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
        """Sets the pins of cited versions; one that lasts as long, but for a day, stays."""
        ...

    async def unpin(self, version_id: VersionId) -> None:
        """Ends the pin of a version, if it has one."""
        ...

    async def pins(self, page_id: PageId, *, now: datetime) -> Mapping[VersionId, Pin]:
        """Returns the pins of a page that hold."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenBlocks:
    """The blocks that a page shows now, each once; none where it is gone.

    Attributes:
        news: of its address when it was read.
        texts: what blocks say, by the hash of their text, cut at a length.
    """

    page_id: PageId
    news: int
    keys: tuple[BlockKey, ...]
    texts: Mapping[int, str]


Learn = Callable[[Mapping[PageId, PageBlocks], Mapping[int, Template]], dict[int, Template]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTemplates:
    """What a host repeats, commonest first, with what each block says.

    Attributes:
        pages: pages that are counted.
    """

    host: str
    epoch: int
    pages: int
    templates: tuple[tuple[Template, str], ...]


class Templates(Protocol):
    """What hosts repeat."""

    async def mask(self, organisation_id: str, host: str) -> TemplateMask:
        """Returns the newest mask of a host; an empty one where nothing was learned."""
        ...

    async def pending(self, *, limit: int) -> Sequence[PageAddress]:
        """Returns pages with news that nothing was learned from yet, those of a host together."""
        ...

    async def learn(
        self, organisation_id: str, host: str, seen: Sequence[SeenBlocks], learn: Learn
    ) -> int:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What handlers and queries are given."""

    timelines: Timelines
    histories: Histories
    addresses: Addresses
    rechunks: Rechunks
    templates: Templates
    retention: Retention
    scopes: ScopeBook
    archive: Archive
    chunker: Callable[[], Awaitable[Chunker]]
    strategy: ChangeStrategy
    compute: Compute
    bounds: AlignmentBounds
    clock: Clock
    settings: ChangeDetectorSettings
