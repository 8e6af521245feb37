"""The version algebra: what one observation does to the timeline of its page.

Pure. An observation equal to the run around, before or after
it only adds a row (and may prove that the run began earlier); a different one opens a stay up to
the next observation; one that splits a run opens the later half again. Any order of the same
observations ends in the same intervals of texts.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from scops.change_detector.timeline.stays import (
    NO_VERSION,
    Neighbourhood,
    NewVersion,
    Observation,
    Stay,
    StayKind,
    TimelineChange,
    VerdictKind,
    Version,
)
from scops.common.contract import ids
from scops.common.contract.ids import PageId, VersionId

INSTANT_STEP = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """An observation as it comes in.

    Attributes:
        chunking: chunker and embedder at hand; empty when nothing was extracted (304, gone), so
            that no revision can follow.
        reextracted: a stored body was read again; no news for the change rate.
        canonical_url: whose host's templates are left out.
        template_epoch: the mask that a version must have been made with; None for any, because a
            new mask alone is no reason for a revision.
    """

    page_id: PageId
    observation: Observation
    organisation_id: str = "main"
    chunking: str = ""
    reextracted: bool = False
    canonical_url: str = ""
    template_epoch: int | None = None


def collides(observation: Observation, around: Neighbourhood) -> bool:
    """Returns whether another observation shows something else at the very same instant.

    Two texts cannot stand at one instant: the one that is recorded later moves by
    `INSTANT_STEP` until it is alone.
    """
    before = around.before
    if before is None or around.stay_before is None:
        return False
    same_instant = before.observed_time == observation.observed_time
    return same_instant and not _belongs(observation, before, around.stay_before)


def place(sighting: Sighting, around: Neighbourhood) -> TimelineChange:
    """Returns what a fetch that is not yet recorded changes.

    Args:
        around: the neighbourhood of the observation's instant; see `collides`.
    """
    observation = sighting.observation
    stay_before, stay_after = around.stay_before, around.stay_after
    if around.before and stay_before and _belongs(observation, around.before, stay_before):
        return _join(sighting, around, stay_before)
    if around.after and stay_after and _belongs(observation, around.after, stay_after):
        return _join(sighting, around, stay_after)
    if stay_before and stay_after and stay_before.observed_from == stay_after.observed_from:
        return _split(sighting, around, stay_before)
    return _open(sighting, around)


def reread(sighting: Sighting, around: Neighbourhood) -> TimelineChange:
    """Returns what another extraction of a fetch that is recorded already changes.

    It is never a change of the page: at most the stay that the fetch belongs to gets a revision.

    Args:
        around: the neighbourhood of the recorded observation's instant.
    """
    stay = around.stay_before
    assert stay is not None
    assert stay.versions
    revisions = _revisions(sighting, stay)
    known = {version.text_digest for version in stay.versions}
    is_other_text = sighting.observation.text_digest not in known
    return TimelineChange(
        sequence=around.sequence,
        kind=VerdictKind.ADDED if revisions and is_other_text else VerdictKind.UNCHANGED,
        stays=(stay,) if revisions else (),
        moved=(stay.observed_from,) if revisions else (),
        new_versions=revisions,
        opened=_opened(revisions),
        pipeline_changed=True,
        late=_is_late(sighting.observation.observed_time, around),
    )


def _belongs(observation: Observation, neighbour: Observation, stay: Stay) -> bool:
    """Texts are compared as one pipeline read them; across pipelines, as far as they are known."""
    if observation.kind is not stay.kind:
        return False
    if observation.kind is StayKind.GONE:
        return True
    read_alike = observation.pipeline_version == neighbour.pipeline_version
    if read_alike and observation.text_digest == neighbour.text_digest:
        return True
    alike = [v for v in stay.versions if v.pipeline_version == observation.pipeline_version]
    return observation.text_digest in {v.text_digest for v in alike or stay.versions}


def _join(sighting: Sighting, around: Neighbourhood, stay: Stay) -> TimelineChange:
    """The run goes on, or turns out to have begun earlier."""
    observation = sighting.observation
    at = observation.observed_time
    grown = replace(
        stay,
        first_observed=min(stay.first_observed, at),
        last_observed=max(stay.last_observed, at),
    )
    revisions = _revisions(sighting, stay)
    stays, moved = [grown], []
    if at < stay.first_observed or revisions:
        moved.append(stay.observed_from)
    if at < stay.first_observed and around.stay_before is not None:
        stays.insert(0, replace(around.stay_before, observed_to=at))
        moved.insert(0, around.stay_before.observed_from)
    is_gone = observation.kind is StayKind.GONE
    return TimelineChange(
        sequence=around.sequence,
        kind=VerdictKind.CLOSED if is_gone else VerdictKind.UNCHANGED,
        observation=observation,
        stays=tuple(stays),
        moved=tuple(moved),
        new_versions=revisions,
        opened=_opened(revisions),
        pipeline_changed=bool(revisions),
        late=_is_late(at, around),
    )


def _open(sighting: Sighting, around: Neighbourhood) -> TimelineChange:
    """A new stay opens at the end, at the beginning or between two runs."""
    at = sighting.observation.observed_time
    until = around.stay_after.first_observed if around.stay_after else None
    preceding = around.preceding.version_id if around.preceding else NO_VERSION
    stay, versions = _new_stay(sighting, around, until=until, compared_with=preceding)
    stays = [stay]
    if around.stay_before is not None:
        stays.insert(0, replace(around.stay_before, observed_to=at))
    return TimelineChange(
        sequence=around.sequence,
        kind=_opening_kind(sighting, around),
        observation=sighting.observation,
        stays=tuple(stays),
        moved=tuple(stay.observed_from for stay in stays),
        new_versions=versions,
        opened=_opened(versions),
        restored_version_id=versions[0].restored_version_id if versions else NO_VERSION,
        pipeline_changed=sighting.reextracted,
        late=_is_late(at, around),
    )


def _split(sighting: Sighting, around: Neighbourhood, run: Stay) -> TimelineChange:
    """A late observation shows that a run was two."""
    assert around.before is not None
    assert around.after is not None
    at, resumed = sighting.observation.observed_time, around.after.observed_time
    earlier = replace(run, last_observed=around.before.observed_time, observed_to=at)
    later = replace(run, first_observed=resumed)
    # The half that holds the instant that names the run keeps its name and its versions.
    if run.observed_from < at:
        later = replace(later, observed_from=resumed, versions=())
        return _split_with_new_later(sighting, around, earlier, later)
    earlier = replace(earlier, observed_from=run.first_observed, versions=())
    return _split_with_new_earlier(sighting, around, earlier, later)


def _split_with_new_later(
    sighting: Sighting, around: Neighbourhood, earlier: Stay, later: Stay
) -> TimelineChange:
    standing = earlier.newest
    before = standing.version_id if standing else _id_of(around.preceding)
    middle, opened = _new_stay(sighting, around, until=later.first_observed, compared_with=before)
    reopened: tuple[NewVersion, ...] = ()
    if standing is not None:
        compared_with = opened[0].version_id if opened else standing.version_id
        again = _copy(sighting.page_id, standing, later.observed_from, compared_with)
        reopened = (replace(again, restored_version_id=standing.version_id),)
    return _split_change(
        sighting,
        around,
        (earlier, middle, later),
        (*opened, *reopened),
        kind=VerdictKind.RESTORED if standing else _opening_kind(sighting, around),
        opened=_opened(opened or reopened),
        restored=_id_of(standing) if standing else _restored(opened),
    )


def _split_with_new_earlier(
    sighting: Sighting, around: Neighbourhood, earlier: Stay, later: Stay
) -> TimelineChange:
    standing = later.newest
    renamed: tuple[NewVersion, ...] = ()
    if standing is not None:
        # Compared with itself under its other name, it keeps every lineage.
        renamed = (_copy(sighting.page_id, standing, earlier.observed_from, standing.version_id),)
    before = renamed[0].version_id if renamed else _id_of(around.preceding)
    middle, opened = _new_stay(sighting, around, until=later.first_observed, compared_with=before)
    return _split_change(
        sighting,
        around,
        (earlier, middle, later),
        (*renamed, *opened),
        kind=_opening_kind(sighting, around),
        opened=_opened(opened),
        restored=_restored(opened),
    )


def _split_change(
    sighting: Sighting,
    around: Neighbourhood,
    stays: tuple[Stay, ...],
    versions: tuple[NewVersion, ...],
    *,
    kind: VerdictKind,
    opened: VersionId,
    restored: VersionId,
) -> TimelineChange:
    return TimelineChange(
        sequence=around.sequence,
        kind=kind,
        observation=sighting.observation,
        stays=stays,
        moved=tuple(stay.observed_from for stay in stays),
        new_versions=versions,
        opened=opened,
        restored_version_id=restored,
        pipeline_changed=sighting.reextracted,
        late=True,
    )


def _new_stay(
    sighting: Sighting,
    around: Neighbourhood,
    *,
    until: datetime | None,
    compared_with: VersionId,
) -> tuple[Stay, tuple[NewVersion, ...]]:
    """Opens the stay of the observation itself; a gone page has no version."""
    observation = sighting.observation
    at = observation.observed_time
    stay = Stay(
        kind=observation.kind,
        observed_from=at,
        first_observed=at,
        last_observed=at,
        observed_to=until,
    )
    if observation.kind is StayKind.GONE:
        return stay, ()
    version = NewVersion(
        version_id=ids.version_id(sighting.page_id, at, 0),
        observed_from=at,
        revision=0,
        text_digest=observation.text_digest,
        pipeline_version=observation.pipeline_version,
        content_of=None if sighting.chunking else _id_of(around.equal),
        compared_with=compared_with,
        restored_version_id=_id_of(around.earlier_equal),
        pipeline_changed=sighting.reextracted,
    )
    return stay, (version,)


def _copy(
    page_id: PageId, version: Version, observed_from: datetime, compared_with: VersionId
) -> NewVersion:
    """The same content once more, as revision 0 of another stay."""
    return NewVersion(
        version_id=ids.version_id(page_id, observed_from, 0),
        observed_from=observed_from,
        revision=0,
        text_digest=version.text_digest,
        pipeline_version=version.pipeline_version,
        content_of=version.version_id,
        compared_with=compared_with,
    )


def _revisions(sighting: Sighting, stay: Stay) -> tuple[NewVersion, ...]:
    """A revision, unless the stay has one by this pipeline and chunker with this text."""
    observation = sighting.observation
    read = (observation.pipeline_version, sighting.chunking, observation.text_digest)
    known = {
        (v.pipeline_version, v.chunking, v.text_digest)
        for v in stay.versions
        if sighting.template_epoch in {None, v.template_epoch}
    }
    newest = stay.newest
    if not sighting.chunking or newest is None or read in known:
        return ()
    revision = newest.revision + 1
    return (
        NewVersion(
            version_id=ids.version_id(sighting.page_id, stay.observed_from, revision),
            observed_from=stay.observed_from,
            revision=revision,
            text_digest=observation.text_digest,
            pipeline_version=observation.pipeline_version,
            compared_with=newest.version_id,
            pipeline_changed=True,
        ),
    )


def _opening_kind(sighting: Sighting, around: Neighbourhood) -> VerdictKind:
    if sighting.observation.kind is StayKind.GONE:
        return VerdictKind.CLOSED
    return VerdictKind.RESTORED if around.earlier_equal else VerdictKind.ADDED


def _is_late(at: datetime, around: Neighbourhood) -> bool:
    return around.newest_observed is not None and at < around.newest_observed


def _id_of(version: Version | None) -> VersionId:
    return version.version_id if version else NO_VERSION


def _opened(versions: tuple[NewVersion, ...]) -> VersionId:
    return versions[0].version_id if versions else NO_VERSION


def _restored(versions: tuple[NewVersion, ...]) -> VersionId:
    return versions[0].restored_version_id if versions else NO_VERSION
