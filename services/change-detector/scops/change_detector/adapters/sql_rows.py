"""Turns rows into the values of the timeline, and back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row

from scops.change_detector.manifests.bodies import MANIFEST_MEDIA_TYPE
from scops.change_detector.timeline.algebra import IncomingObservation
from scops.change_detector.timeline.records import HistoricVersion, WrittenVersion
from scops.change_detector.timeline.runs import (
    Observation,
    ObservationKind,
    Run,
    TimelineChange,
    VerdictKind,
    Version,
)
from scops.common.contract import wire
from scops.common.contract.ids import FetchId, PageId, VersionId
from scops.common.contract.messages.change import VersionRow
from scops.common.contract.messages.types import BodyRef, ChangeSummary, OrderKey
from scops.common.db.types import EPOCH, MICROSECOND


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenVerdict:
    """How a fetch was answered.

    Attributes:
        opened: the version that it opened; empty for none.
        moved: names of the runs whose rows the answer carries.
    """

    kind: VerdictKind
    late: bool
    pipeline_changed: bool
    opened: VersionId
    restored_version_id: VersionId
    moved: tuple[datetime, ...]


def observation_of(row: Row[Any]) -> Observation:
    return Observation(
        fetch_id=FetchId(row.fetch_id),
        observed_time=row.observed_time,
        kind=ObservationKind(row.kind),
        text_digest=row.text_digest,
        pipeline_version=row.pipeline_version,
        reason=row.reason,
        moved_to=row.moved_to,
    )


def observation_values(page_id: PageId, observation: Observation) -> dict[str, Any]:
    return {
        "fetch_id": observation.fetch_id,
        "page_id": page_id,
        "observed_time": observation.observed_time,
        "kind": observation.kind.value,
        "text_digest": observation.text_digest,
        "pipeline_version": observation.pipeline_version,
        "reason": observation.reason,
        "moved_to": observation.moved_to,
    }


def run_of(row: Row[Any], versions: tuple[Version, ...]) -> Run:
    return Run(
        kind=ObservationKind(row.kind),
        observed_from=row.observed_from,
        first_observed=row.first_observed,
        last_observed=row.last_observed,
        observed_to=row.observed_to,
        versions=versions,
    )


def run_values(page_id: PageId, run: Run, row_revision: int) -> dict[str, Any]:
    return {
        "page_id": page_id,
        "observed_from": run.observed_from,
        "kind": run.kind.value,
        "first_observed": run.first_observed,
        "last_observed": run.last_observed,
        "observed_to": run.observed_to,
        "row_revision": row_revision,
    }


def version_of(row: Row[Any]) -> Version:
    return Version(
        version_id=VersionId(row.version_id),
        observed_from=row.observed_from,
        revision=row.revision,
        text_digest=row.text_digest,
        pipeline_version=row.pipeline_version,
        chunking=row.chunking,
        manifest=manifest_of(row),
        template_epoch=row.template_epoch,
        dropped=row.dropped_time is not None,
    )


def version_values(page_id: PageId, written: WrittenVersion) -> dict[str, Any]:
    new = written.version
    return {
        "version_id": new.version_id,
        "page_id": page_id,
        "observed_from": new.observed_from,
        "revision": new.revision,
        "text_digest": new.text_digest,
        "pipeline_version": new.pipeline_version,
        "chunking": written.chunking,
        "manifest_digest": written.manifest.digest,
        "manifest_size": written.manifest.size,
        "compared_with": new.compared_with,
        "restored_version_id": new.restored_version_id,
        "pipeline_changed": new.pipeline_changed,
        "title": written.title,
        "chunk_count": written.chunk_count,
        "summary": wire.encode(written.summary),
        "template_epoch": written.template_epoch,
        "document_digest": written.document_digest,
    }


def version_row_of(row: Row[Any]) -> VersionRow:
    """Returns a row for the index, from a version joined with its run."""
    return VersionRow(
        version_id=VersionId(row.version_id),
        order_key=OrderKey(observed_from=row.observed_from, revision=row.revision),
        manifest=manifest_of(row),
        observed_to=row.observed_to,
        row_revision=row.row_revision,
        first_observed_time=_first_observed(row),
    )


def historic_version_of(row: Row[Any], changed_after: datetime | None) -> HistoricVersion:
    """Returns a version joined with its run."""
    return HistoricVersion(
        version_id=VersionId(row.version_id),
        order_key=OrderKey(observed_from=row.observed_from, revision=row.revision),
        observed_to=row.observed_to,
        last_observed=row.last_observed,
        changed_after=changed_after,
        text_digest=row.text_digest,
        title=row.title,
        summary=summary_of(row),
        pipeline_changed=row.pipeline_changed,
        compared_with=VersionId(row.compared_with),
        restored_version_id=VersionId(row.restored_version_id),
        manifest=manifest_of(row),
        chunk_count=row.chunk_count,
        dropped_time=row.dropped_time,
        dropped_reason=row.dropped_reason,
    )


def _first_observed(row: Row[Any]) -> datetime | None:
    first: datetime = row.first_observed
    return first if first < row.observed_from else None


def manifest_of(row: Row[Any]) -> BodyRef:
    return BodyRef(
        digest=row.manifest_digest, size=row.manifest_size, media_type=MANIFEST_MEDIA_TYPE
    )


def summary_of(row: Row[Any]) -> ChangeSummary:
    return wire.decode(ChangeSummary, row.summary)


def verdict_given(row: Row[Any]) -> GivenVerdict:
    return GivenVerdict(
        kind=VerdictKind(row.kind),
        late=row.late,
        pipeline_changed=row.pipeline_changed,
        opened=VersionId(row.opened),
        restored_version_id=VersionId(row.restored_version_id),
        moved=tuple(EPOCH + int(part) * MICROSECOND for part in row.moved.split(",") if part),
    )


def verdict_given_by(change: TimelineChange) -> GivenVerdict:
    return GivenVerdict(
        kind=change.kind,
        late=change.late,
        pipeline_changed=change.pipeline_changed,
        opened=change.opened,
        restored_version_id=change.restored_version_id,
        moved=change.moved,
    )


def verdict_values(incoming: IncomingObservation, change: TimelineChange) -> dict[str, Any]:
    return {
        "fetch_id": incoming.observation.fetch_id,
        "pipeline_version": incoming.observation.pipeline_version,
        "page_id": incoming.page_id,
        "kind": change.kind.value,
        "late": change.late,
        "pipeline_changed": change.pipeline_changed,
        "opened": change.opened,
        "restored_version_id": change.restored_version_id,
        "moved": ",".join(str((at - EPOCH) // MICROSECOND) for at in change.moved),
    }
