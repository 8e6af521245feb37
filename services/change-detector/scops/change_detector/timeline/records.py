"""What the state keeps of versions, pages and hosts, in the form that ports give and take it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from scops.change_detector.templates.blocks import BlockKey
from scops.change_detector.templates.learning import BlockTemplate
from scops.change_detector.timeline.algebra import IncomingObservation
from scops.change_detector.timeline.runs import (
    Observation,
    PlannedVersion,
    TimelineChange,
    TimelineContext,
    VerdictKind,
)
from scops.common.contract.ids import FetchId, PageId, PurgeId, VersionId
from scops.common.contract.messages.change import NewsPlace, PageMemory, VersionRow
from scops.common.contract.messages.types import BodyRef, ChangeSummary, OrderKey

# Why a version is not kept.
EXPIRED = "expired"
PURGED = "purged"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenVersion:
    """A new version whose manifest is in the archive.

    Attributes:
        left_out_blocks: blocks that its host repeats and that no chunk holds.
        memory: what is remembered of its page from now on; None where it teaches nothing.
    """

    version: PlannedVersion
    chunking: str
    template_epoch: int = 0
    manifest: BodyRef
    summary: ChangeSummary
    title: str
    chunk_count: int
    left_out_blocks: int = 0
    document_digest: str = ""
    memory: PageMemory | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where the page stands: its newest run.

    Attributes:
        version_id, manifest: empty and None when closed.
        verified_time: the newest observation of the newest run.
    """

    order_key: OrderKey
    version_id: VersionId
    manifest: BodyRef | None
    verified_time: datetime

    @property
    def closed(self) -> bool:
        """The page's newest run is one of being gone."""
        return self.manifest is None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedVerdict:
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
class TimelineSnapshot:
    """What is known before an observation is placed.

    Attributes:
        recorded: the answer, when this fetch and pipeline was answered before.
        known: the observation, when this fetch was recorded (perhaps by another pipeline).
        context: the context of the recorded observation, else of the one that comes in.
        purged_before: what was observed before this is purged.
    """

    recorded: RecordedVerdict | None
    known: Observation | None
    context: TimelineContext
    purged_before: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoricVersion:
    """A version with the run it belongs to.

    Attributes:
        changed_after: last observation of the run before; the change happened after it.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedAddress:
    """An address that comes with an observation.

    Attributes:
        noted_time: when.
    """

    address: PageAddress
    noted_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedObservation:
    """An observation and what it changes, ready to be recorded.

    Attributes:
        versions: one for each of `change.planned`, in order.
        noted: where the page stands, to be noted with a verdict that brings something new; None
            leaves the address that is known.
    """

    incoming: IncomingObservation
    change: TimelineChange
    versions: tuple[WrittenVersion, ...]
    noted: NotedAddress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftBlobs:
    """What a fetch left in the archive, by digest."""

    fetch_id: FetchId
    page_id: PageId
    observed_time: datetime
    digests: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRun:
    """A run that is news.

    Attributes:
        observed_from: names it.
        recorded_time: when it became known here.
    """

    observed_from: datetime
    recorded_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PageNewsPlace:
    """A run that is news, with its page and its place in the order of news.

    Attributes:
        since: names the run that it is told against, where that is not the one before it.
    """

    address: PageAddress
    observed_from: datetime
    place: NewsPlace
    since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledNews:
    """A silent change that has come to stay.

    Attributes:
        observed_from: names the run in which it has.
        since: names the run that readers know.
        recorded_time: when it became known here.
    """

    observed_from: datetime
    since: datetime
    recorded_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedPage:
    """What is remembered of a page.

    Attributes:
        look: the page's sequence when it was read.
    """

    memory: PageMemory
    look: int


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
class PurgeBatch:
    """Some pages of a purge that are dropped together.

    Attributes:
        number: from 1, for each attempt.
    """

    purge_id: PurgeId
    attempt: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedCounts:
    """How much a batch of a purge has dropped."""

    versions: int = 0
    observations: int = 0
    blobs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """Keeps a version until an instant, whatever its age."""

    version_id: VersionId
    page_id: PageId
    until: datetime
    note: str


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


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTemplates:
    """What a host repeats, commonest first, with what each block says.

    Attributes:
        pages: pages that are counted.
    """

    host: str
    epoch: int
    pages: int
    templates: tuple[tuple[BlockTemplate, str], ...]


def opened_run(recorded: RecordedVerdict, *, recorded_time: datetime) -> OpenedRun | None:
    """Returns the run that is news; a new reading of a text is none, nor one long overtaken."""
    if recorded.pipeline_changed or recorded.late:
        return None
    return OpenedRun(
        observed_from=recorded.target.order_key.observed_from, recorded_time=recorded_time
    )
