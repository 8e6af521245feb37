"""Timelines in SQL, each page under the lock of its row.

Each statement costs far more than what it does, so neighbours are read together: a question is
a union of look-ups that each find at most one row by an index. The statements stand in
`sql_timeline_statements`, what writes in `sql_timeline_commits`.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from scops.change_detector.adapters import sql_rows as rows
from scops.change_detector.adapters import sql_timeline_statements as statements
from scops.change_detector.adapters.sql_timeline_answers import (
    grouped,
    observation_of_fetch,
    recorded_verdicts,
)
from scops.change_detector.adapters.sql_timeline_commits import record_placed
from scops.change_detector.timeline.algebra import IncomingObservation
from scops.change_detector.timeline.records import (
    PlacedObservation,
    RecordedVerdict,
    TimelineSnapshot,
)
from scops.change_detector.timeline.runs import (
    GivenVerdict,
    Observation,
    Run,
    TimelineContext,
    Version,
)
from scops.common.contract.ids import FetchId, PageId
from scops.common.db.batches import rows_of
from scops.common.db.connection import Connection
from scops.common.db.database import Database

NOTHING_KNOWN = TimelineSnapshot(recorded=None, known=None, context=TimelineContext())


class SqlTimelines:
    """Implements the `Timelines` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def observation(self, fetch_id: FetchId) -> Observation | None:
        async with self._database.reading() as connection:
            return await observation_of_fetch(connection, fetch_id)

    async def read(self, incoming: IncomingObservation) -> TimelineSnapshot:
        async with self._database.reading() as connection:
            return await _snapshot(connection, incoming)

    async def read_many(
        self, incoming: Sequence[IncomingObservation]
    ) -> Sequence[TimelineSnapshot]:
        of_pages = sorted({one.page_id for one in incoming})
        async with self._database.reading() as connection:
            found = await rows_of(connection, statements.KNOWN_PAGES, {"of_pages": of_pages})
            known = {row.page_id for row in found}
            return [
                await _snapshot(connection, one) if one.page_id in known else NOTHING_KNOWN
                for one in incoming
            ]

    async def commit(self, placed: Sequence[PlacedObservation]) -> Sequence[RecordedVerdict | None]:
        async with self._database.transaction() as connection:
            recorded = await record_placed(connection, placed)
        return [recorded.get(one.incoming.page_id) for one in placed]


async def _snapshot(connection: Connection, incoming: IncomingObservation) -> TimelineSnapshot:
    # The sequence comes first: what changes after it makes the commit fail.
    sequence, purged_before, given = await _page_and_verdict(connection, incoming)
    near = await _observations_near(connection, incoming)
    known = near.get("known")
    recorded = None
    if given is not None and known is not None:
        answers = [(incoming.page_id, given, known)]
        recorded = (await recorded_verdicts(connection, answers))[incoming.page_id]
    context = await _context(connection, incoming, near, sequence)
    return TimelineSnapshot(
        recorded=recorded, known=known, context=context, purged_before=purged_before
    )


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
    return grouped((await connection.execute(statements.RUNS_AT[len(times)], named)).all())


def _run_with(runs: Iterable[Run], member: Observation | None) -> Run | None:
    if member is None:
        return None
    at = member.observed_time
    return next(s for s in runs if s.first_observed <= at <= s.last_observed)


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
