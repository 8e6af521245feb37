"""Timelines in memory: the change-detector's state without a database."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from scops.change_detector.timeline.algebra import IncomingObservation
from scops.change_detector.timeline.records import (
    PlacedObservation,
    RecordedVerdict,
    Target,
    TimelineSnapshot,
    WrittenVersion,
)
from scops.change_detector.timeline.runs import (
    NO_VERSION,
    Observation,
    ObservationKind,
    Run,
    TimelineChange,
    TimelineContext,
    Version,
)
from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.change import VersionRow


@dataclass
class _Page:
    sequence: int = 0
    row_revision: int = 0
    runs: dict[datetime, Run] = field(default_factory=dict)
    revisions: dict[datetime, int] = field(default_factory=dict)

    def ordered(self) -> list[Run]:
        return sorted(self.runs.values(), key=lambda run: run.first_observed)


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

    async def read(self, incoming: IncomingObservation) -> TimelineSnapshot:
        coming = incoming.observation
        known = await self.observation(coming.fetch_id)
        at = known.observed_time if known else coming.observed_time
        return TimelineSnapshot(
            recorded=self._recorded(incoming),
            known=known,
            context=self.context(incoming.page_id, at, coming.text_digest),
        )

    async def read_many(
        self, incoming: Sequence[IncomingObservation]
    ) -> Sequence[TimelineSnapshot]:
        return [await self.read(one) for one in incoming]

    async def commit(self, placed: Sequence[PlacedObservation]) -> Sequence[RecordedVerdict | None]:
        return [self._commit(one) for one in placed]

    def _commit(self, placed: PlacedObservation) -> RecordedVerdict | None:
        incoming, change = placed.incoming, placed.change
        page = self.pages.setdefault(incoming.page_id, _Page())
        if page.sequence != change.sequence:
            return None
        page.sequence += 1
        if change.observation is not None:
            self.observations[change.observation.fetch_id] = (incoming.page_id, change.observation)
        for run in change.runs:
            page.runs[run.observed_from] = run
            if run.observed_from in change.moved:
                page.row_revision += 1
                page.revisions[run.observed_from] = page.row_revision
        for written in placed.versions:
            self.written[written.version.version_id] = written
            run = page.runs[written.version.observed_from]
            version = _version(written)
            page.runs[run.observed_from] = replace(run, versions=(*run.versions, version))
        coming = incoming.observation
        key = (coming.fetch_id, coming.pipeline_version)
        self.verdicts[key] = (incoming.page_id, change)
        return self._recorded(incoming)

    def runs(self, page_id: PageId) -> list[Run]:
        """Returns the runs of a page in order."""
        return self.pages[page_id].ordered()

    def context(self, page_id: PageId, at: datetime, digest: str) -> TimelineContext:
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
        return TimelineContext(
            sequence=page.sequence,
            before=before,
            after=after,
            run_before=_run_at(page, before),
            run_after=_run_at(page, after),
            newest_observed=seen[-1].observed_time if seen else None,
            preceding=_last(earlier),
            earlier_equal=_last(equal),
            equal=_last(equal or every),
        )

    def _recorded(self, incoming: IncomingObservation) -> RecordedVerdict | None:
        coming = incoming.observation
        given = self.verdicts.get((coming.fetch_id, coming.pipeline_version))
        if given is None:
            return None
        page_id, change = given
        page, (_, seen) = self.pages[page_id], self.observations[coming.fetch_id]
        target = _target(page.ordered()[-1])
        opened = self.written.get(change.opened)
        return RecordedVerdict(
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
                _row(run, version, page.revisions[run.observed_from])
                for run in sorted(page.runs.values(), key=lambda run: run.observed_from)
                for version in run.versions
                if run.observed_from in change.moved or version.version_id == target.version_id
            ),
        )


def _run_at(page: _Page, member: Observation | None) -> Run | None:
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


def _target(run: Run) -> Target:
    newest = run.newest
    return Target(
        order_key=run.order_key,
        version_id=newest.version_id if newest else NO_VERSION,
        manifest=newest.manifest if newest else None,
        verified_time=run.last_observed,
    )


def _row(run: Run, version: Version, row_revision: int) -> VersionRow:
    assert run.kind is ObservationKind.TEXT
    moved = run.first_observed < run.observed_from
    return VersionRow(
        version_id=version.version_id,
        order_key=replace(run.order_key, revision=version.revision),
        manifest=version.manifest,
        observed_to=run.observed_to,
        row_revision=row_revision,
        first_observed_time=run.first_observed if moved else None,
    )
