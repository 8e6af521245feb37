"""A candidate: a hit of the store that may be shown, with what each step learns of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from scops.common.contract.ids import ChunkId, PageId, VersionId, WordingId
from scops.common.contract.messages.change import Manifest, ManifestChunk
from scops.common.contract.messages.retrieval import ScopeMatch
from scops.common.contract.messages.types import BodyRef, Clocks, OrderKey, StatedKind
from scops.libraries.index.ports import StoreHit
from scops.retriever.scoring.score import UNSCORED, PassageScore

STATED_CONFIDENCE_MIN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingVersion:
    """The version of a page that counts for one question.

    Attributes:
        canonical_url: the page's newest, also for an earlier version.
        verified_time, visible_time: None for an earlier version, of which nobody keeps them.
        superseded: the page's head has moved on from this version, or is closed.
    """

    page_id: PageId
    version_id: VersionId
    order_key: OrderKey
    manifest: BodyRef
    canonical_url: str
    access_context: str
    verified_time: datetime | None = None
    visible_time: datetime | None = None
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class ListedPage:
    """What a page lists now, or listed at the instant asked for.

    Attributes:
        positions: of its chunks, in reading order, from 0.
    """

    version: StandingVersion
    manifest: Manifest
    positions: Mapping[ChunkId, int]

    @property
    def clocks(self) -> Clocks:
        """The four clocks of the version."""
        return Clocks(
            observed_time=self.version.order_key.observed_from,
            verified_time=self.version.verified_time,
            visible_time=self.version.visible_time,
            stated=self.manifest.stated,
        )

    @property
    def stated_day(self) -> date | None:
        """The day that the page states for its text: modified, else published."""
        sure = [one for one in self.manifest.stated if one.confidence >= STATED_CONFIDENCE_MIN]
        for kind in (StatedKind.MODIFIED, StatedKind.PUBLISHED):
            found = [stated for stated in sure if stated.kind is kind]
            if found:
                return max(found, key=lambda stated: stated.confidence).time.date()
        return None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit whose chunk the version that counts does list, and that a scope lets out.

    Attributes:
        listed: its page by the manifest; None until that is read (`listed_pages.opened`).
        scopes: of the scopes asked for, those that hold the page, in the order asked.
        wording_id: what it says, the same for its mirrors; None where nobody looked.
        likeness: to the question, its own or that of its best sentence, on the scale that all
            embedders share; None where the recipe does not ask.
        membership: priority of the most preferred scope that holds the page, 0 for none; None
            where no scope is preferred.
    """

    hit: StoreHit
    version: StandingVersion
    listed: ListedPage | None = None
    scopes: tuple[ScopeMatch, ...] = ()
    wording_id: WordingId | None = None
    membership: float | None = None
    score: PassageScore = UNSCORED
    likeness: float | None = None

    @property
    def page(self) -> ListedPage:
        """Its page by the manifest, which was read."""
        assert self.listed is not None, "manifests are read before they are used"
        return self.listed

    @property
    def chunk(self) -> ManifestChunk:
        """The chunk as the manifest lists it, which was read."""
        return self.page.manifest.chunks[self.page.positions[self.hit.chunk_id]]


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """The candidates of a question, each chunk once.

    Attributes:
        complete: there are no others; otherwise the search stopped at its bound.
        interrupted: the store did not answer every search; these are what the others found.
    """

    candidates: tuple[Candidate, ...]
    complete: bool
    interrupted: bool = False
