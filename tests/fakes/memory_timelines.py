"""Timelines in memory: the change-detector's state without a database."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from scops.change_detector.timeline.algebra import Sighting
from scops.change_detector.timeline.records import Reading, Recorded, Target, WrittenVersion
from scops.change_detector.timeline.stays import (
    NO_VERSION,
    Neighbourhood,
    Observation,
    Stay,
    StayKind,
    TimelineChange,
    Version,
)
from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.change import VersionRow


@dataclass
class _Page:
    sequence: int = 0
    row_revision: int = 0
    stays: dict[datetime, Stay] = field(default_factory=dict)
    revisions: dict[datetime, int] = field(default_factory=dict)

    def ordered(self) -> list[Stay]:
        return sorted(self.stays.values(), key=lambda stay: stay.first_observed)


@dataclass
class MemoryTimelines:
    """Implements the `Timelines` port."""

    pages: dict[PageId, _Page] = field(default_factory=dict)
    observations: dict[FetchId, tuple[PageId, Observation]] = field(default_factory=dict)
    verdicts: dict[tuple[FetchId, str], tuple[PageId, TimelineChange]] = field(default_factory=dict)
    written: dict[str, WrittenVersion] = field(default_factory=dict)

    async def observation(self, fetch_id: FetchId) -> Observation | None:
        found = self.observations.get(fetch_id)
        return found[1] if found else None

    async def read(self, sighting: Sighting) -> Reading:
        coming = sighting.observation
        known = await self.observation(coming.fetch_id)
        at = known.observed_time if known else coming.observed_time
        return Reading(
            recorded=self._recorded(sighting),
            known=known,
            around=self.neighbourhood(sighting.page_id, at, coming.text_digest),
        )

    async def commit(
        self, sighting: Sighting, change: TimelineChange, versions: Sequence[WrittenVersion]
    ) -> Recorded | None:
        page = self.pages.setdefault(sighting.page_id, _Page())
        if page.sequence != change.sequence:
            return None
        page.sequence += 1
        if change.observation is not None:
            self.observations[change.observation.fetch_id] = (sighting.page_id, change.observation)
        for stay in change.stays:
            page.stays[stay.observed_from] = stay
            if stay.observed_from in change.moved:
                page.row_revision += 1
                page.revisions[stay.observed_from] = page.row_revision
        for written in versions:
            self.written[written.version.version_id] = written
            stay = page.stays[written.version.observed_from]
            version = _version(written)
            page.stays[stay.observed_from] = replace(stay, versions=(*stay.versions, version))
        coming = sighting.observation
        key = (coming.fetch_id, coming.pipeline_version)
        self.verdicts[key] = (sighting.page_id, change)
        return self._recorded(sighting)

    def stays(self, page_id: PageId) -> list[Stay]:
        """Returns the stays of a page in order."""
        return self.pages[page_id].ordered()

    def neighbourhood(self, page_id: PageId, at: datetime, digest: str) -> Neighbourhood:
        page = self.pages.get(page_id, _Page())
        seen = sorted(
            (one for owner, one in self.observations.values() if owner == page_id),
            key=lambda one: one.observed_time,
        )
        before = next((one for one in reversed(seen) if one.observed_time <= at), None)
        after = next((one for one in seen if one.observed_time > at), None)
        earlier = [v for s in page.ordered() if s.first_observed < at for v in s.versions]
        every = [v for s in page.ordered() for v in s.versions if v.text_digest == digest]
        equal = [v for v in earlier if v.text_digest == digest]
        return Neighbourhood(
            sequence=page.sequence,
            before=before,
            after=after,
            stay_before=_stay_at(page, before),
            stay_after=_stay_at(page, after),
            newest_observed=seen[-1].observed_time if seen else None,
            preceding=_last(earlier),
            earlier_equal=_last(equal),
            equal=_last(equal or every),
        )

    def _recorded(self, sighting: Sighting) -> Recorded | None:
        coming = sighting.observation
        given = self.verdicts.get((coming.fetch_id, coming.pipeline_version))
        if given is None:
            return None
        page_id, change = given
        page, (_, seen) = self.pages[page_id], self.observations[coming.fetch_id]
        target = _target(page.ordered()[-1])
        opened = self.written.get(change.opened)
        return Recorded(
            kind=change.kind,
            observed_time=seen.observed_time,
            late=change.late,
            pipeline_changed=change.pipeline_changed,
            restored_version_id=change.restored_version_id,
            reason=seen.reason,
            moved_to=seen.moved_to,
            summary=opened.summary if opened else None,
            target=target,
            rows=tuple(
                _row(stay, version, page.revisions[stay.observed_from])
                for stay in sorted(page.stays.values(), key=lambda stay: stay.observed_from)
                for version in stay.versions
                if stay.observed_from in change.moved or version.version_id == target.version_id
            ),
        )


def _stay_at(page: _Page, member: Observation | None) -> Stay | None:
    if member is None:
        return None
    return [s for s in page.ordered() if s.first_observed <= member.observed_time][-1]


def _last(versions: Sequence[Version]) -> Version | None:
    return versions[-1] if versions else None


def _version(written: WrittenVersion) -> Version:
    new = written.version
    return Version(
        version_id=new.version_id,
        observed_from=new.observed_from,
        revision=new.revision,
        text_digest=new.text_digest,
        pipeline_version=new.pipeline_version,
        chunking=written.chunking,
        manifest=written.manifest,
    )


def _target(stay: Stay) -> Target:
    newest = stay.newest
    return Target(
        order_key=stay.order_key,
        version_id=newest.version_id if newest else NO_VERSION,
        manifest=newest.manifest if newest else None,
        verified_time=stay.last_observed,
    )


def _row(stay: Stay, version: Version, row_revision: int) -> VersionRow:
    assert stay.kind is StayKind.TEXT
    moved = stay.first_observed < stay.observed_from
    return VersionRow(
        version_id=version.version_id,
        order_key=replace(stay.order_key, revision=version.revision),
        manifest=version.manifest,
        observed_to=stay.observed_to,
        row_revision=row_revision,
        first_observed_time=stay.first_observed if moved else None,
    )
