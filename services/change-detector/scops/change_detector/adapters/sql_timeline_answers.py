"""What fetches were answered with, and how their pages stand now, in SQL.

Every function runs in the caller's transaction.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Row

from scops.change_detector.adapters import sql_rows as rows
from scops.change_detector.adapters import sql_timeline_statements as statements
from scops.change_detector.timeline.records import RecordedVerdict, Target
from scops.change_detector.timeline.runs import NO_VERSION, GivenVerdict, Observation, Run
from scops.common.contract.ids import FetchId, PageId
from scops.common.db.connection import Connection

# How a fetch of a page was answered, and what it showed.
Answered = tuple[PageId, GivenVerdict, Observation]


async def observation_of_fetch(connection: Connection, fetch_id: FetchId) -> Observation | None:
    """Returns what a fetch showed; None where it is not recorded."""
    row = (await connection.execute(statements.OBSERVATION, {"of_fetch": fetch_id})).first()
    return rows.observation_of(row) if row else None


async def recorded_verdicts(
    connection: Connection, answered: Sequence[Answered]
) -> dict[PageId, RecordedVerdict]:
    """Returns the answers to fetches of different pages, with the pages as they stand now."""
    named = {
        "of_pages": [page_id for page_id, _, _ in answered],
        "moved": [at for _, given, _ in answered for at in given.moved],
    }
    found = (await connection.execute(statements.RUNS_OF_ANSWERS, named)).all()
    of_pages = {
        page_id: list(members) for page_id, members in groupby(found, key=lambda row: row.page_id)
    }
    return {page_id: _recorded(of_pages[page_id], given, seen) for page_id, given, seen in answered}


def grouped(found: Iterable[Row[Any]]) -> list[Run]:
    """Returns the runs of one page, of rows that stand for a version or for a run without one."""
    runs = []
    for _, group in groupby(found, key=lambda row: row.observed_from):
        members = list(group)
        versions = tuple(rows.version_of(row) for row in members if row.version_id is not None)
        runs.append(rows.run_of(members[0], versions))
    return runs


def _recorded(found: Sequence[Row[Any]], given: GivenVerdict, seen: Observation) -> RecordedVerdict:
    target = _target(grouped(found)[-1])
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
