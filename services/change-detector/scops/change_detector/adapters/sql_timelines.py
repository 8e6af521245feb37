"""Timelines in SQL, a page at a time under the lock of its row."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from scops.change_detector.adapters import sql_rows as rows
from scops.change_detector.adapters.tables import observation, page, stay, verdict, version
from scops.change_detector.ports import Reading, Recorded, Target, WrittenVersion
from scops.change_detector.stays import (
    Neighbourhood,
    Observation,
    Stay,
    TimelineChange,
    VerdictKind,
    Version,
)
from scops.change_detector.timeline import Sighting
from scops.common.db.database import Database
from scops.common.db.upsert import insert_ignore, upsert
from scops.common.ids import FetchId, PageId, VersionId
from scops.common.messages.change import VersionRow
from scops.common.messages.types import ChangeSummary


class SqlTimelines:
    """Implements the `Timelines` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def observation(self, fetch_id: FetchId) -> Observation | None:
        async with self._database.reading() as connection:
            return await _observation(connection, fetch_id)

    async def read(self, sighting: Sighting) -> Reading:
        coming = sighting.observation
        async with self._database.reading() as connection:
            # The sequence comes first: what changes after it makes the commit fail.
            sequence = await _sequence(connection, sighting.page_id)
            known = await _observation(connection, coming.fetch_id)
            at = known.observed_time if known else coming.observed_time
            return Reading(
                recorded=await _recorded(connection, sighting),
                known=known,
                around=await _neighbourhood(
                    connection, sighting.page_id, at, coming.text_digest, sequence
                ),
            )

    async def commit(
        self, sighting: Sighting, change: TimelineChange, versions: Sequence[WrittenVersion]
    ) -> Recorded | None:
        async with self._database.transaction() as connection:
            locked = await _lock(connection, sighting)
            if locked.sequence != change.sequence:
                return None
            await _write(connection, sighting, change, versions, locked.row_revision)
            return await _recorded(connection, sighting)


async def _sequence(connection: AsyncConnection, page_id: PageId) -> int:
    found = select(page.c.sequence).where(page.c.page_id == page_id)
    return (await connection.execute(found)).scalar() or 0


async def _observation(connection: AsyncConnection, fetch_id: FetchId) -> Observation | None:
    found = select(observation).where(observation.c.fetch_id == fetch_id)
    row = (await connection.execute(found)).first()
    return rows.observation_of(row) if row else None


async def _neighbourhood(
    connection: AsyncConnection, page_id: PageId, at: datetime, digest: str, sequence: int
) -> Neighbourhood:
    of_page = select(observation).where(observation.c.page_id == page_id)
    by_time = observation.c.observed_time
    before = await _first_observation(
        connection, of_page.where(by_time <= at).order_by(by_time.desc(), observation.c.fetch_id)
    )
    after = await _first_observation(
        connection, of_page.where(by_time > at).order_by(by_time, observation.c.fetch_id)
    )
    newest = await _first_observation(connection, of_page.order_by(by_time.desc()))
    earlier_equal = await _version_before(connection, page_id, at, digest)
    return Neighbourhood(
        sequence=sequence,
        before=before,
        after=after,
        stay_before=await _stay_at(connection, page_id, before),
        stay_after=await _stay_at(connection, page_id, after),
        newest_observed=newest.observed_time if newest else None,
        preceding=await _version_before(connection, page_id, at, None),
        earlier_equal=earlier_equal,
        equal=earlier_equal or await _version_before(connection, page_id, None, digest),
    )


async def _first_observation(connection: AsyncConnection, found: Select[Any]) -> Observation | None:
    row = (await connection.execute(found.limit(1))).first()
    return rows.observation_of(row) if row else None


async def _stay_at(
    connection: AsyncConnection, page_id: PageId, member: Observation | None
) -> Stay | None:
    """Returns the stay of an observation: the last one that begins at or before it."""
    if member is None:
        return None
    found = (
        select(stay)
        .where(stay.c.page_id == page_id, stay.c.first_observed <= member.observed_time)
        .order_by(stay.c.first_observed.desc())
        .limit(1)
    )
    row = (await connection.execute(found)).one()
    return rows.stay_of(row, await _versions_of(connection, page_id, row.observed_from))


async def _versions_of(
    connection: AsyncConnection, page_id: PageId, observed_from: datetime
) -> tuple[Version, ...]:
    found = (
        select(version)
        .where(version.c.page_id == page_id, version.c.observed_from == observed_from)
        .order_by(version.c.revision)
    )
    return tuple(rows.version_of(row) for row in await connection.execute(found))


def versions_with_stays(page_id: PageId) -> Select[Any]:
    """Selects a page's versions with the intervals of their stays, newest first."""
    joined = version.join(
        stay,
        (version.c.page_id == stay.c.page_id) & (version.c.observed_from == stay.c.observed_from),
    )
    interval = (
        stay.c.first_observed,
        stay.c.last_observed,
        stay.c.observed_to,
        stay.c.row_revision,
    )
    return (
        select(version, *interval)
        .select_from(joined)
        .where(version.c.page_id == page_id)
        .order_by(version.c.observed_from.desc(), version.c.revision.desc())
    )


async def _version_before(
    connection: AsyncConnection, page_id: PageId, at: datetime | None, digest: str | None
) -> Version | None:
    """Returns the newest version, of stays that began before `at`, with the text `digest`."""
    found = versions_with_stays(page_id)
    if at is not None:
        found = found.where(stay.c.first_observed < at)
    if digest is not None:
        found = found.where(version.c.text_digest == digest)
    row = (await connection.execute(found.limit(1))).first()
    return rows.version_of(row) if row else None


async def _lock(connection: AsyncConnection, sighting: Sighting) -> Row[Any]:
    """Takes the lock of the page's row; SQLite's transaction holds the whole file already."""
    first = {
        "page_id": sighting.page_id,
        "organisation_id": sighting.organisation_id,
        "sequence": 0,
        "row_revision": 0,
    }
    await insert_ignore(connection, page, first)
    found = select(page).where(page.c.page_id == sighting.page_id).with_for_update()
    return (await connection.execute(found)).one()


async def _write(
    connection: AsyncConnection,
    sighting: Sighting,
    change: TimelineChange,
    versions: Sequence[WrittenVersion],
    row_revision: int,
) -> None:
    page_id = sighting.page_id
    if change.observation is not None:
        values = rows.observation_values(page_id, change.observation)
        await connection.execute(insert(observation).values(values))
    for changed in change.stays:
        row_revision += 1
        await _put_stay(connection, page_id, changed, change, row_revision)
    for written in versions:
        await connection.execute(insert(version).values(rows.version_values(page_id, written)))
    await connection.execute(insert(verdict).values(_verdict_values(sighting, change)))
    await connection.execute(
        update(page)
        .where(page.c.page_id == page_id)
        .values(sequence=change.sequence + 1, row_revision=row_revision)
    )


async def _put_stay(
    connection: AsyncConnection,
    page_id: PageId,
    changed: Stay,
    change: TimelineChange,
    row_revision: int,
) -> None:
    """Inserts or updates a stay; its row revision rises only where the index must hear of it."""
    values = {
        "page_id": page_id,
        "observed_from": changed.observed_from,
        "kind": changed.kind.value,
        "first_observed": changed.first_observed,
        "last_observed": changed.last_observed,
        "observed_to": changed.observed_to,
    }
    if changed.observed_from in change.moved:
        values["row_revision"] = row_revision
        await upsert(connection, stay, values, key=("page_id", "observed_from"))
        return
    await connection.execute(
        update(stay)
        .where(stay.c.page_id == page_id, stay.c.observed_from == changed.observed_from)
        .values(last_observed=changed.last_observed)
    )


def _verdict_values(sighting: Sighting, change: TimelineChange) -> dict[str, Any]:
    return {
        "fetch_id": sighting.observation.fetch_id,
        "pipeline_version": sighting.observation.pipeline_version,
        "page_id": sighting.page_id,
        "kind": change.kind.value,
        "late": change.late,
        "pipeline_changed": change.pipeline_changed,
        "opened": change.opened,
        "restored_version_id": change.restored_version_id,
        "moved": rows.instants_text(change.moved),
    }


async def _recorded(connection: AsyncConnection, sighting: Sighting) -> Recorded | None:
    """Returns the answer to a fetch as one pipeline read it, with the page as it stands now."""
    coming = sighting.observation
    found = select(verdict).where(
        verdict.c.fetch_id == coming.fetch_id,
        verdict.c.pipeline_version == coming.pipeline_version,
    )
    given = (await connection.execute(found)).first()
    if given is None:
        return None
    seen = await _observation(connection, coming.fetch_id)
    assert seen is not None
    target = await _target(connection, PageId(given.page_id))
    return Recorded(
        kind=VerdictKind(given.kind),
        observed_time=seen.observed_time,
        late=given.late,
        pipeline_changed=given.pipeline_changed,
        restored_version_id=VersionId(given.restored_version_id),
        reason=seen.reason,
        moved_to=seen.moved_to,
        summary=await _summary(connection, VersionId(given.opened)),
        target=target,
        rows=await _version_rows(connection, given, target),
    )


async def _target(connection: AsyncConnection, page_id: PageId) -> Target:
    found = (
        select(stay)
        .where(stay.c.page_id == page_id)
        .order_by(stay.c.first_observed.desc())
        .limit(1)
    )
    row = (await connection.execute(found)).one()
    newest = rows.stay_of(row, await _versions_of(connection, page_id, row.observed_from))
    standing = newest.newest
    return Target(
        order_key=newest.order_key,
        version_id=standing.version_id if standing else VersionId(""),
        manifest=standing.manifest if standing else None,
        verified_time=newest.last_observed,
    )


async def _summary(connection: AsyncConnection, version_id: VersionId) -> ChangeSummary | None:
    found = select(version.c.summary).where(version.c.version_id == version_id)
    row = (await connection.execute(found)).first()
    return rows.summary_of(row) if row else None


async def _version_rows(
    connection: AsyncConnection, given: Row[Any], target: Target
) -> tuple[VersionRow, ...]:
    moved = rows.instants_of(given.moved)
    found = versions_with_stays(PageId(given.page_id)).where(
        or_(version.c.observed_from.in_(moved), version.c.version_id == target.version_id)
    )
    return tuple(reversed([rows.version_row_of(row) for row in await connection.execute(found)]))
