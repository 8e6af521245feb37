"""The version algebra: what one observation does to the timeline of its page.

Pure. An observation equal to the run around, before or after
it only adds a row (and may prove that the run began earlier); a different one opens a run up to
the next observation; one that splits a run opens the later half again. Any order of the same
observations ends in the same intervals of texts.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scops.change_detector.timeline.runs import (
    NO_VERSION,
    Observation,
    ObservationKind,
    PlannedVersion,
    Run,
    TimelineChange,
    TimelineContext,
    VerdictKind,
    Version,
)
from scops.common.contract import ids
from scops.common.contract.ids import PageId, VersionId

INSTANT_STEP = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingObservation:
    """An observation as it comes in.

    Attributes:
        chunking: chunker and embedder at hand; empty when nothing was extracted (304, gone), so
            that no revision can follow.
        reextracted: a stored body was read again; no news for the change rate.
        canonical_url: whose host's templates are left out.
        template_epoch: the mask that a version must have been made with; None for any, because a
            new mask alone is no reason for a revision.
        patient: of a crawl; what is written for it may wait a little for company.
    """

    page_id: PageId
    observation: Observation
    organisation_id: str = "main"
    chunking: str = ""
    reextracted: bool = False
    canonical_url: str = ""
    template_epoch: int | None = None
    patient: bool = False


def collides(observation: Observation, context: TimelineContext) -> bool:
    """Returns whether another observation shows something else at the very same instant.

    Two texts cannot stand at one instant: the one that is recorded later moves by
    `INSTANT_STEP` until it is alone.
    """
    before = context.before
    if before is None or context.run_before is None:
        return False
    same_instant = before.observed_time == observation.observed_time
    return same_instant and not _belongs(observation, before, context.run_before)


def apply_observation(incoming: IncomingObservation, context: TimelineContext) -> TimelineChange:
    """Returns what a fetch that is not yet recorded changes.

    Args:
        context: the context of the observation's instant; see `collides`.
    """
    observation = incoming.observation
    run_before, run_after = context.run_before, context.run_after
    if context.before and run_before and _belongs(observation, context.before, run_before):
        return _join(incoming, context, run_before)
    if context.after and run_after and _belongs(observation, context.after, run_after):
        return _join(incoming, context, run_after)
    if run_before and run_after and run_before.observed_from == run_after.observed_from:
        return _split(incoming, context, run_before)
    return _open(incoming, context)


def apply_reextraction(incoming: IncomingObservation, context: TimelineContext) -> TimelineChange:
    """Returns what another extraction of a fetch that is recorded already changes.

    It is never a change of the page: at most the run that the fetch belongs to gets a revision.

    Args:
        context: the context of the recorded observation's instant.
    """
    run = context.run_before
    assert run is not None
    assert run.versions
    revisions = _revisions(incoming, run)
    known = {version.text_digest for version in run.versions}
    is_other_text = incoming.observation.text_digest not in known
    return TimelineChange(
        sequence=context.sequence,
        kind=VerdictKind.ADDED if revisions and is_other_text else VerdictKind.UNCHANGED,
        runs=(run,) if revisions else (),
        moved=(run.observed_from,) if revisions else (),
        planned=revisions,
        opened=_opened(revisions),
        pipeline_changed=True,
        late=_is_late(incoming.observation.observed_time, context),
    )


def _belongs(observation: Observation, neighbour: Observation, run: Run) -> bool:
    """Texts are compared as one pipeline read them; across pipelines, as far as they are known."""
    if observation.kind is not run.kind:
        return False
    if observation.kind is ObservationKind.GONE:
        return True
    read_alike = observation.pipeline_version == neighbour.pipeline_version
    if read_alike and observation.text_digest == neighbour.text_digest:
        return True
    alike = [v for v in run.versions if v.pipeline_version == observation.pipeline_version]
    return observation.text_digest in {v.text_digest for v in alike or run.versions}


def _join(incoming: IncomingObservation, context: TimelineContext, run: Run) -> TimelineChange:
    """The run goes on, or turns out to have begun earlier."""
    observation = incoming.observation
    at = observation.observed_time
    grown = replace(
        run,
        first_observed=min(run.first_observed, at),
        last_observed=max(run.last_observed, at),
    )
    revisions = _revisions(incoming, run)
    runs, moved = [grown], []
    if at < run.first_observed or revisions:
        moved.append(run.observed_from)
    if at < run.first_observed and context.run_before is not None:
        runs.insert(0, replace(context.run_before, observed_to=at))
        moved.insert(0, context.run_before.observed_from)
    is_gone = observation.kind is ObservationKind.GONE
    return TimelineChange(
        sequence=context.sequence,
        kind=VerdictKind.CLOSED if is_gone else VerdictKind.UNCHANGED,
        observation=observation,
        runs=tuple(runs),
        moved=tuple(moved),
        planned=revisions,
        opened=_opened(revisions),
        pipeline_changed=bool(revisions),
        late=_is_late(at, context),
    )


def _open(incoming: IncomingObservation, context: TimelineContext) -> TimelineChange:
    """A new run opens at the end, at the beginning or between two runs."""
    at = incoming.observation.observed_time
    until = context.run_after.first_observed if context.run_after else None
    preceding = context.preceding.version_id if context.preceding else NO_VERSION
    run, versions = _new_run(incoming, context, until=until, compared_with=preceding)
    runs = [run]
    if context.run_before is not None:
        runs.insert(0, replace(context.run_before, observed_to=at))
    return TimelineChange(
        sequence=context.sequence,
        kind=_opening_kind(incoming, context),
        observation=incoming.observation,
        runs=tuple(runs),
        moved=tuple(run.observed_from for run in runs),
        planned=versions,
        opened=_opened(versions),
        restored_version_id=versions[0].restored_version_id if versions else NO_VERSION,
        pipeline_changed=incoming.reextracted,
        late=_is_late(at, context),
    )


def _split(incoming: IncomingObservation, context: TimelineContext, run: Run) -> TimelineChange:
    """A late observation shows that a run was two."""
    assert context.before is not None
    assert context.after is not None
    at, resumed = incoming.observation.observed_time, context.after.observed_time
    earlier = replace(run, last_observed=context.before.observed_time, observed_to=at)
    later = replace(run, first_observed=resumed)
    # The half that holds the instant that names the run keeps its name and its versions.
    if run.observed_from < at:
        later = replace(later, observed_from=resumed, versions=())
        return _split_with_new_later(incoming, context, earlier, later)
    earlier = replace(earlier, observed_from=run.first_observed, versions=())
    return _split_with_new_earlier(incoming, context, earlier, later)


def _split_with_new_later(
    incoming: IncomingObservation, context: TimelineContext, earlier: Run, later: Run
) -> TimelineChange:
    standing = earlier.newest
    before = standing.version_id if standing else _id_of(context.preceding)
    middle, opened = _new_run(incoming, context, until=later.first_observed, compared_with=before)
    reopened: tuple[PlannedVersion, ...] = ()
    if standing is not None:
        compared_with = opened[0].version_id if opened else standing.version_id
        again = _copy(incoming.page_id, standing, later.observed_from, compared_with)
        reopened = (replace(again, restored_version_id=standing.version_id),)
    return _split_change(
        incoming,
        context,
        (earlier, middle, later),
        (*opened, *reopened),
        kind=VerdictKind.RESTORED if standing else _opening_kind(incoming, context),
        opened=_opened(opened or reopened),
        restored=_id_of(standing) if standing else _restored(opened),
    )


def _split_with_new_earlier(
    incoming: IncomingObservation, context: TimelineContext, earlier: Run, later: Run
) -> TimelineChange:
    standing = later.newest
    renamed: tuple[PlannedVersion, ...] = ()
    if standing is not None:
        # Compared with itself under its other name, it keeps every lineage.
        renamed = (_copy(incoming.page_id, standing, earlier.observed_from, standing.version_id),)
    before = renamed[0].version_id if renamed else _id_of(context.preceding)
    middle, opened = _new_run(incoming, context, until=later.first_observed, compared_with=before)
    return _split_change(
        incoming,
        context,
        (earlier, middle, later),
        (*renamed, *opened),
        kind=_opening_kind(incoming, context),
        opened=_opened(opened),
        restored=_restored(opened),
    )


def _split_change(
    incoming: IncomingObservation,
    context: TimelineContext,
    runs: tuple[Run, ...],
    versions: tuple[PlannedVersion, ...],
    *,
    kind: VerdictKind,
    opened: VersionId,
    restored: VersionId,
) -> TimelineChange:
    return TimelineChange(
        sequence=context.sequence,
        kind=kind,
        observation=incoming.observation,
        runs=runs,
        moved=tuple(run.observed_from for run in runs),
        planned=versions,
        opened=opened,
        restored_version_id=restored,
        pipeline_changed=incoming.reextracted,
        late=True,
    )


def _new_run(
    incoming: IncomingObservation,
    context: TimelineContext,
    *,
    until: datetime | None,
    compared_with: VersionId,
) -> tuple[Run, tuple[PlannedVersion, ...]]:
    """Opens the run of the observation itself; a gone page has no version."""
    observation = incoming.observation
    at = observation.observed_time
    run = Run(
        kind=observation.kind,
        observed_from=at,
        first_observed=at,
        last_observed=at,
        observed_to=until,
    )
    if observation.kind is ObservationKind.GONE:
        return run, ()
    version = PlannedVersion(
        version_id=ids.version_id(incoming.page_id, at, 0),
        observed_from=at,
        revision=0,
        text_digest=observation.text_digest,
        pipeline_version=observation.pipeline_version,
        content_of=None if incoming.chunking else _id_of(context.equal),
        compared_with=compared_with,
        restored_version_id=_id_of(context.earlier_equal),
        pipeline_changed=incoming.reextracted,
    )
    return run, (version,)


def _copy(
    page_id: PageId, version: Version, observed_from: datetime, compared_with: VersionId
) -> PlannedVersion:
    """The same content once more, as revision 0 of another run."""
    return PlannedVersion(
        version_id=ids.version_id(page_id, observed_from, 0),
        observed_from=observed_from,
        revision=0,
        text_digest=version.text_digest,
        pipeline_version=version.pipeline_version,
        content_of=version.version_id,
        compared_with=compared_with,
    )


def _revisions(incoming: IncomingObservation, run: Run) -> tuple[PlannedVersion, ...]:
    """A revision, unless the run has one by this pipeline and chunker with this text."""
    observation = incoming.observation
    read = (observation.pipeline_version, incoming.chunking, observation.text_digest)
    known = {
        (v.pipeline_version, v.chunking, v.text_digest)
        for v in run.versions
        if incoming.template_epoch in {None, v.template_epoch}
    }
    newest = run.newest
    if not incoming.chunking or newest is None or read in known:
        return ()
    revision = newest.revision + 1
    return (
        PlannedVersion(
            version_id=ids.version_id(incoming.page_id, run.observed_from, revision),
            observed_from=run.observed_from,
            revision=revision,
            text_digest=observation.text_digest,
            pipeline_version=observation.pipeline_version,
            compared_with=newest.version_id,
            pipeline_changed=True,
        ),
    )


def _opening_kind(incoming: IncomingObservation, context: TimelineContext) -> VerdictKind:
    if incoming.observation.kind is ObservationKind.GONE:
        return VerdictKind.CLOSED
    return VerdictKind.RESTORED if context.earlier_equal else VerdictKind.ADDED


def _is_late(at: datetime, context: TimelineContext) -> bool:
    return context.newest_observed is not None and at < context.newest_observed


def _id_of(version: Version | None) -> VersionId:
    return version.version_id if version else NO_VERSION


def _opened(versions: tuple[PlannedVersion, ...]) -> VersionId:
    return versions[0].version_id if versions else NO_VERSION


def _restored(versions: tuple[PlannedVersion, ...]) -> VersionId:
    return versions[0].restored_version_id if versions else NO_VERSION
