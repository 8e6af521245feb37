"""Turns rows into the values of the timeline, and back."""

from dataclasses import fields
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Row

from scops.change_detector.manifests.bodies import MANIFEST_MEDIA_TYPE
from scops.change_detector.timeline.algebra import IncomingObservation
from scops.change_detector.timeline.records import HistoricVersion, WrittenVersion
from scops.change_detector.timeline.runs import (
    GivenVerdict,
    Observation,
    ObservationKind,
    Run,
    TimelineChange,
    VerdictKind,
    Version,
)
from scops.common.contract import wire
from scops.common.contract.ids import PageId, VersionId
from scops.common.contract.messages.change import VersionRow
from scops.common.contract.messages.types import BodyRef, ChangeSummary, OrderKey
from scops.common.db.types import EPOCH, MICROSECOND

Value = TypeVar("Value")
FIELDS: dict[type[Any], tuple[str, ...]] = {
    kind: tuple(field.name for field in fields(kind))
    for kind in (Observation, Run, Version, HistoricVersion, GivenVerdict)
}


def observation_of(row: Row[Any]) -> Observation:
    """Returns the observation in a row."""
    return _value_of(Observation, row, kind=ObservationKind(row.kind))


def observation_values(page_id: PageId, observation: Observation) -> dict[str, Any]:
    """Returns the row of an observation."""
    return _columns_of(observation) | {"page_id": page_id, "kind": observation.kind.value}


def run_of(row: Row[Any], versions: tuple[Version, ...]) -> Run:
    """Returns the run in a row, with its versions."""
    return _value_of(Run, row, kind=ObservationKind(row.kind), versions=versions)


def run_values(page_id: PageId, run: Run, row_revision: int) -> dict[str, Any]:
    """Returns the row of a run; its versions have rows of their own."""
    columns = _columns_of(run) | {"page_id": page_id, "kind": run.kind.value}
    del columns["versions"]
    return columns | {"row_revision": row_revision}


def version_of(row: Row[Any]) -> Version:
    """Returns the version in a row."""
    dropped = row.dropped_time is not None
    return _value_of(Version, row, manifest=manifest_of(row), dropped=dropped)


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
    return _value_of(
        HistoricVersion,
        row,
        order_key=OrderKey(observed_from=row.observed_from, revision=row.revision),
        changed_after=changed_after,
        summary=summary_of(row),
        manifest=manifest_of(row),
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
    """Returns the verdict in a row."""
    moved = tuple(EPOCH + int(part) * MICROSECOND for part in row.moved.split(",") if part)
    return _value_of(GivenVerdict, row, kind=VerdictKind(row.kind), moved=moved)


def verdict_values(incoming: IncomingObservation, change: TimelineChange) -> dict[str, Any]:
    return given_values(incoming.page_id, incoming.observation, change)


def given_values(page_id: PageId, observation: Observation, given: GivenVerdict) -> dict[str, Any]:
    """Returns the row of a verdict on an observation."""
    return {
        "fetch_id": observation.fetch_id,
        "pipeline_version": observation.pipeline_version,
        "page_id": page_id,
        "kind": given.kind.value,
        "late": given.late,
        "pipeline_changed": given.pipeline_changed,
        "opened": given.opened,
        "restored_version_id": given.restored_version_id,
        "moved": ",".join(str((at - EPOCH) // MICROSECOND) for at in given.moved),
    }


def _value_of(kind: type[Value], row: Row[Any], /, **converted: Any) -> Value:
    """Returns a value whose fields are the columns of the same names.

    Args:
        converted: the fields that no column holds as they are.
    """
    plain = {name: getattr(row, name) for name in FIELDS[kind] if name not in converted}
    return kind(**plain, **converted)


def _columns_of(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in FIELDS[type(value)]}
