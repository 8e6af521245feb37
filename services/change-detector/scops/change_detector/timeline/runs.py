"""What a page's timeline is made of: observations, runs and the versions of a run.

A run is a maximal run of observations, in observed order, that show the same text (or that the
page is gone). A text run has one version for revision 0 and one more for each re-extraction or
re-chunking. A run is known for good by the instant it opened with (`observed_from`): a late
observation may prove that it began earlier (`first_observed`), the order key runs.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from scops.common.contract.ids import FetchId, VersionId
from scops.common.contract.messages.types import BodyRef, OrderKey

NO_VERSION = VersionId("")


class ObservationKind(StrEnum):
    """What an observation showed."""

    TEXT = "text"
    GONE = "gone"


class VerdictKind(StrEnum):
    """Which verdict an observation was answered with."""

    ADDED = "added"
    UNCHANGED = "unchanged"
    RESTORED = "restored"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What one fetch showed.

    Attributes:
        text_digest, pipeline_version: empty when gone.
        reason, moved_to: why and where to, when gone.
        unmodified: it confirmed an earlier fetch and brought no body; None where an older release
            did not note it.
    """

    fetch_id: FetchId
    observed_time: datetime
    kind: ObservationKind
    text_digest: str = ""
    pipeline_version: str = ""
    reason: str = ""
    moved_to: str = ""
    unmodified: bool | None = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One text of a page as one pipeline read and chunked it.

    Attributes:
        chunking: chunker and embedder that made the manifest; another one makes a revision.
        dropped: it is not kept any more; its row is a tombstone, its manifest may be gone.
        template_epoch: of the mask of its host when it was chunked.
    """

    version_id: VersionId
    observed_from: datetime
    revision: int
    text_digest: str
    pipeline_version: str
    chunking: str
    manifest: BodyRef
    template_epoch: int = 0
    dropped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of equal observations.

    Attributes:
        observed_from: the instant that names the run; one of its observations.
        first_observed: its earliest observation; before `observed_from` when a late one came.
        last_observed: its latest observation: the last proof that it stood.
        observed_to: the next run's first observation; None while this one stands.
        versions: by rising revision; empty when gone.
    """

    kind: ObservationKind
    observed_from: datetime
    first_observed: datetime
    last_observed: datetime
    observed_to: datetime | None = None
    versions: tuple[Version, ...] = ()

    @property
    def newest(self) -> Version | None:
        """The version that speaks for the run, of those that are kept."""
        return next((v for v in reversed(self.versions) if not v.dropped), None)

    @property
    def order_key(self) -> OrderKey:
        """The greatest order key of the run."""
        revision = self.versions[-1].revision if self.versions else 0
        return OrderKey(observed_from=self.observed_from, revision=revision)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineContext:
    """The part of a page's timeline that decides about an observation at one instant.

    Attributes:
        sequence: rises with every change of the page; 0 before the first.
        before, after: the neighbouring observations (at or before, and after the instant).
        run_before, run_after: the runs they belong to; the same one inside a run.
        newest_observed: instant of the page's newest observation.
        preceding, earlier_equal, equal: may be left out where `before` shows just the same, for
            then they decide nothing.
        preceding: the newest version that began before the instant, whatever its text.
        earlier_equal: the newest version with the observed text that began before the instant.
        equal: `earlier_equal`, else the newest version with the observed text at any time.
    """

    sequence: int = 0
    before: Observation | None = None
    after: Observation | None = None
    run_before: Run | None = None
    run_after: Run | None = None
    newest_observed: datetime | None = None
    preceding: Version | None = None
    earlier_equal: Version | None = None
    equal: Version | None = None

    def manifests(self) -> dict[VersionId, BodyRef]:
        """The manifests of every version in sight."""
        runs = [run for run in (self.run_before, self.run_after) if run is not None]
        versions = [version for run in runs for version in run.versions]
        versions += [v for v in (self.preceding, self.equal) if v is not None]
        return {version.version_id: version.manifest for version in versions}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedVersion:
    """A version that needs a manifest before its row can be written.

    Attributes:
        content_of: the version whose content it has again; None for what was just extracted.
        compared_with: the version to align with; empty for a first one.
    """

    version_id: VersionId
    observed_from: datetime
    revision: int
    text_digest: str
    pipeline_version: str
    content_of: VersionId | None = None
    compared_with: VersionId = NO_VERSION
    restored_version_id: VersionId = NO_VERSION
    pipeline_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenVerdict:
    """How a fetch was answered.

    Attributes:
        opened: the version that this observation opened; empty for none.
        moved: names of the runs whose interval changed or which are new: their versions' rows
            are news to the index.
    """

    kind: VerdictKind
    late: bool = False
    pipeline_changed: bool = False
    opened: VersionId = NO_VERSION
    restored_version_id: VersionId = NO_VERSION
    moved: tuple[datetime, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineChange(GivenVerdict):
    """What an observation does to its page's timeline, and how it is answered.

    Attributes:
        sequence: the timeline that this was computed from.
        observation: the row to add; None when the fetch is recorded already.
        runs: rows to insert or replace, by `observed_from`, without their new versions.
        planned: in reading order; each `compared_with` comes before it.
    """

    sequence: int
    observation: Observation | None = None
    runs: tuple[Run, ...] = ()
    planned: tuple[PlannedVersion, ...] = ()
