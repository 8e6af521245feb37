"""Timelines in SQL, a page at a time under the lock of its row.

Each statement costs far more than what it does, so neighbours are read together: a question is
a union of look-ups that each find at most one row by an index. The statements stand in
`sql_timeline_statements`.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import Row

from scops.change_detector.adapters import sql_rows as rows
from scops.change_detector.adapters import sql_timeline_statements as statements
from scops.change_detector.adapters.sql_addresses import note_address
from scops.change_detector.adapters.sql_memories import remember
from scops.change_detector.adapters.tables import page, run
from scops.change_detector.timeline.algebra import IncomingObservation
from scops.change_detector.timeline.records import (
    NotedAddress,
    RecordedVerdict,
    Target,
    TimelineSnapshot,
    WrittenVersion,
    opened_run,
)
from scops.change_detector.timeline.runs import (
    NO_VERSION,
    GivenVerdict,
    Observation,
    Run,
    TimelineChange,
    TimelineContext,
    VerdictKind,
    Version,
)
from scops.common.contract.ids import FetchId, PageId
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.upsert import insert_ignore, upsert


class SqlTimelines:
    """Implements the `Timelines` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def observation(self, fetch_id: FetchId) -> Observation | None:
        async with self._database.reading() as connection:
            return await _observation(connection, fetch_id)

    async def read(self, incoming: IncomingObservation) -> TimelineSnapshot:
        async with self._database.reading() as connection:
            # The sequence comes first: what changes after it makes the commit fail.
            sequence, purged_before, given = await _page_and_verdict(connection, incoming)
            near = await _observations_near(connection, incoming)
            known = near.get("known")
            recorded = None
            if given is not None and known is not None:
                recorded = await _recorded(connection, incoming.page_id, given, known)
            context = await _context(connection, incoming, near, sequence)
        return TimelineSnapshot(
            recorded=recorded, known=known, context=context, purged_before=purged_before
        )

    async def commit(
        self,
        incoming: IncomingObservation,
        change: TimelineChange,
        versions: Sequence[WrittenVersion],
        *,
        noted: NotedAddress | None = None,
    ) -> RecordedVerdict | None:
        async with self._database.transaction() as connection:
            row_revision = await _advance(connection, incoming, change)
            if row_revision is None:
                return None
            await _write(connection, incoming, change, versions, row_revision)
            seen = change.observation or await _observation(
                connection, incoming.observation.fetch_id
            )
            assert seen is not None
            recorded = await _recorded(connection, incoming.page_id, change, seen)
            # Only what is news is ever listed by scope; an unchanged page costs no write here.
            if noted is not None and recorded.kind is not VerdictKind.UNCHANGED:
                opened = opened_run(recorded, recorded_time=noted.noted_time)
                await note_address(connection, noted.address, opened)
            return recorded


async def _observation(connection: Connection, fetch_id: FetchId) -> Observation | None:
    row = (await connection.execute(statements.OBSERVATION, {"of_fetch": fetch_id})).first()
    return rows.observation_of(row) if row else None


async def _page_and_verdict(
    connection: Connection, incoming: IncomingObservation
) -> tuple[int, datetime | None, GivenVerdict | None]:
    coming = incoming.observation
    named = {
        "of_page": incoming.page_id,
        "of_fetch": coming.fetch_id,
        "of_pipeline": coming.pipeline_version,
    }
    row = (await connection.execute(statements.SEQUENCE_AND_VERDICT, named)).first()
    if row is None:
        return 0, None, None
    given = None if row.fetch_id is None else rows.verdict_given(row)
    return row.sequence, row.purged_before, given


async def _observations_near(
    connection: Connection, incoming: IncomingObservation
) -> dict[str, Observation]:
    """Returns the observation of the fetch itself, its neighbours, and the page's newest."""
    coming = incoming.observation
    named = {
        "of_page": incoming.page_id,
        "of_fetch": coming.fetch_id,
        "coming_at": coming.observed_time,
    }
    found = (await connection.execute(statements.OBSERVATIONS_NEAR, named)).all()
    return {row.place: rows.observation_of(row) for row in found}


async def _context(
    connection: Connection,
    incoming: IncomingObservation,
    near: dict[str, Observation],
    sequence: int,
) -> TimelineContext:
    before, after, newest = near.get("before"), near.get("after"), near.get("newest")
    runs = await _runs_of(connection, incoming.page_id, before, after)
    kin = {}
    if not _decides(before, incoming.observation) and "known" not in near:
        kin = await _versions_near(connection, incoming)
    return TimelineContext(
        sequence=sequence,
        before=before,
        after=after,
        run_before=_run_with(runs, before),
        run_after=_run_with(runs, after),
        newest_observed=newest.observed_time if newest else None,
        preceding=kin.get("preceding"),
        earlier_equal=kin.get("earlier_equal"),
        equal=kin.get("earlier_equal") or kin.get("equal"),
    )


def _decides(before: Observation | None, coming: Observation) -> bool:
    """The neighbour shows just the same: other versions of the page have no say."""
    return (
        before is not None
        and (before.kind, before.text_digest) == (coming.kind, coming.text_digest)
        and before.pipeline_version == coming.pipeline_version
    )


async def _runs_of(
    connection: Connection, page_id: PageId, *members: Observation | None
) -> list[Run]:
    """Returns the runs of some observations: each the last that begins at or before it."""
    times = [member.observed_time for member in members if member is not None]
    if not times:
        return []
    named = {f"at_{place}": at for place, at in enumerate(times)} | {"of_page": page_id}
    return _grouped((await connection.execute(statements.RUNS_AT[len(times)], named)).all())


def _run_with(runs: Iterable[Run], member: Observation | None) -> Run | None:
    if member is None:
        return None
    at = member.observed_time
    return next(s for s in runs if s.first_observed <= at <= s.last_observed)


def _grouped(found: Sequence[Row[Any]]) -> list[Run]:
    runs = []
    for _, group in groupby(found, key=lambda row: row.observed_from):
        members = list(group)
        versions = tuple(rows.version_of(row) for row in members if row.version_id is not None)
        runs.append(rows.run_of(members[0], versions))
    return runs


async def _versions_near(
    connection: Connection, incoming: IncomingObservation
) -> dict[str, Version]:
    """Returns the version before, the newest with this text before, and at any time."""
    coming = incoming.observation
    named = {
        "of_page": incoming.page_id,
        "of_text": coming.text_digest,
        "coming_at": coming.observed_time,
    }
    found = (await connection.execute(statements.VERSIONS_NEAR, named)).all()
    return {row.place: rows.version_of(row) for row in found}


async def _advance(
    connection: Connection, incoming: IncomingObservation, change: TimelineChange
) -> int | None:
    """Locks the page by moving its sequence on; returns None when another one did.

    Returns:
        The greatest row revision that is in use; as many as there are moved runs are free.
    """
    if change.sequence == 0:
        first = {
            "page_id": incoming.page_id,
            "organisation_id": incoming.organisation_id,
            "sequence": 0,
            "row_revision": 0,
        }
        await insert_ignore(connection, page, first)
    named = {
        "of_page": incoming.page_id,
        "at_sequence": change.sequence,
        "moved_count": len(change.moved),
    }
    row_revision = (await connection.execute(statements.ADVANCE, named)).scalar()
    return None if row_revision is None else row_revision - len(change.moved)


async def _write(
    connection: Connection,
    incoming: IncomingObservation,
    change: TimelineChange,
    versions: Sequence[WrittenVersion],
    row_revision: int,
) -> None:
    page_id = incoming.page_id
    if change.observation is not None:
        values = rows.observation_values(page_id, change.observation)
        await connection.execute(statements.ADD_OBSERVATION, values)
    for changed in change.runs:
        if changed.observed_from in change.moved:
            row_revision += 1
            values = rows.run_values(page_id, changed, row_revision)
            await upsert(connection, run, values, key=("page_id", "observed_from"))
        else:
            await _keep_verified(connection, page_id, changed)
    for written in versions:
        if written.memory is not None:
            await remember(connection, page_id, written.memory)
    if versions:
        values_of_all = [rows.version_values(page_id, written) for written in versions]
        await connection.execute(statements.ADD_VERSION, values_of_all)
    await connection.execute(statements.ADD_VERDICT, rows.verdict_values(incoming, change))


async def _keep_verified(connection: Connection, page_id: PageId, seen: Run) -> None:
    """Moves the last proof of a run; nothing that the index must hear of."""
    named = {"of_page": page_id, "of_run": seen.observed_from}
    await connection.execute(statements.SET_RUN, named | {"last_observed": seen.last_observed})


async def _recorded(
    connection: Connection, page_id: PageId, given: GivenVerdict, seen: Observation
) -> RecordedVerdict:
    """Returns the answer to a fetch as one pipeline read it, with the page as it stands now."""
    named = {"of_page": page_id, "moved": list(given.moved)}
    found = (await connection.execute(statements.RUNS_OF_ANSWER, named)).all()
    target = _target(_grouped(found)[-1])
    opened = [row for row in found if row.version_id == given.opened and given.opened]
    return RecordedVerdict(
        kind=given.kind,
        observed_time=seen.observed_time,
        late=given.late,
        pipeline_changed=given.pipeline_changed,
        restored_version_id=given.restored_version_id,
        reason=seen.reason,
        moved_to=seen.moved_to,
        summary=rows.summary_of(opened[0]) if opened else None,
        target=target,
        rows=tuple(
            rows.version_row_of(row)
            for row in found
            if row.version_id is not None
            and row.dropped_time is None
            and (row.observed_from in given.moved or row.version_id == target.version_id)
        ),
    )


def _target(newest: Run) -> Target:
    standing = newest.newest
    return Target(
        order_key=newest.order_key,
        version_id=standing.version_id if standing else NO_VERSION,
        manifest=standing.manifest if standing else None,
        verified_time=newest.last_observed,
    )
