"""Records observations in SQL, of one page or several, under the locks of their rows.

Every function runs in the caller's transaction.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scops.change_detector.adapters import sql_rows as rows
from scops.change_detector.adapters import sql_timeline_statements as statements
from scops.change_detector.adapters.sql_addresses import Noting, note_addresses
from scops.change_detector.adapters.sql_memories import remember
from scops.change_detector.adapters.sql_timeline_answers import (
    observation_of_fetch,
    recorded_verdicts,
)
from scops.change_detector.adapters.tables import page, run
from scops.change_detector.timeline.records import (
    PlacedObservation,
    RecordedVerdict,
    opened_run,
)
from scops.change_detector.timeline.runs import Observation, VerdictKind
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import PageMemory
from scops.common.db.connection import Connection
from scops.common.db.upsert import insert_ignore_many, upsert_many


async def record_placed(
    connection: Connection, placed: Sequence[PlacedObservation]
) -> Mapping[PageId, RecordedVerdict]:
    """Records what each page shows, but for pages that have changed; returns the answers."""
    ordered = sorted(placed, key=lambda one: one.incoming.page_id)
    revisions = await _advance(connection, ordered)
    standing = [one for one in ordered if one.incoming.page_id in revisions]
    if not standing:
        return {}
    await _write(connection, standing, revisions)
    answered = [
        (one.incoming.page_id, one.change, await _seen(connection, one)) for one in standing
    ]
    recorded = await recorded_verdicts(connection, answered)
    # Only what is news is ever listed by scope; an unchanged page costs no write here.
    noted = [
        Noting(one.noted.address, opened_run(news, recorded_time=one.noted.noted_time))
        for one in standing
        if one.noted is not None
        and (news := recorded[one.incoming.page_id]).kind is not VerdictKind.UNCHANGED
    ]
    await note_addresses(connection, noted)
    return recorded


async def _advance(
    connection: Connection, placed: Sequence[PlacedObservation]
) -> dict[PageId, int]:
    """Locks pages by moving their sequences on; leaves out those that another one moved.

    Args:
        placed: in the order of their pages, in which everybody takes locks.

    Returns:
        The greatest row revision that is in use; as many as there are moved runs are free.
    """
    first = [
        {
            "page_id": one.incoming.page_id,
            "organisation_id": one.incoming.organisation_id,
            "sequence": 0,
            "row_revision": 0,
        }
        for one in placed
        if one.change.sequence == 0
    ]
    await insert_ignore_many(connection, page, first)
    if len(placed) == 1:
        return await _advance_one(connection, placed[0])
    of_pages = {"of_pages": [one.incoming.page_id for one in placed]}
    locked = (await connection.execute(statements.LOCKED_PAGES, of_pages)).all()
    known = {row.page_id: row for row in locked}
    mine = [one for one in placed if _stands(known.get(one.incoming.page_id), one)]
    if mine:
        await connection.execute(
            statements.ADVANCE_LOCKED,
            [
                {"of_page": one.incoming.page_id, "moved_count": len(one.change.moved)}
                for one in mine
            ],
        )
    return {one.incoming.page_id: known[one.incoming.page_id].row_revision for one in mine}


async def _advance_one(connection: Connection, placed: PlacedObservation) -> dict[PageId, int]:
    page_id, moved_count = placed.incoming.page_id, len(placed.change.moved)
    named = {
        "of_page": page_id,
        "at_sequence": placed.change.sequence,
        "moved_count": moved_count,
    }
    row_revision = (await connection.execute(statements.ADVANCE, named)).scalar()
    return {} if row_revision is None else {page_id: row_revision - moved_count}


def _stands(known: Any, placed: PlacedObservation) -> bool:
    return known is not None and known.sequence == placed.change.sequence


async def _write(
    connection: Connection,
    placed: Sequence[PlacedObservation],
    revisions: Mapping[PageId, int],
) -> None:
    observations, moved, proofs, versions, verdicts = [], [], [], [], []
    memories: dict[PageId, PageMemory] = {}
    for one in placed:
        page_id, change = one.incoming.page_id, one.change
        row_revision = revisions[page_id]
        if change.observation is not None:
            observations.append(rows.observation_values(page_id, change.observation))
        for changed in change.runs:
            if changed.observed_from in change.moved:
                row_revision += 1
                moved.append(rows.run_values(page_id, changed, row_revision))
            else:
                # The last proof of a run; nothing that the index must hear of.
                proof = {"of_page": page_id, "of_run": changed.observed_from}
                proofs.append(proof | {"last_observed": changed.last_observed})
        versions += [rows.version_values(page_id, written) for written in one.versions]
        verdicts.append(rows.verdict_values(one.incoming, change))
        learned = [new.memory for new in one.versions if new.memory is not None]
        if learned:
            memories[page_id] = learned[-1]
    if observations:
        await connection.execute(statements.ADD_OBSERVATION, observations)
    await upsert_many(connection, run, moved, key=("page_id", "observed_from"))
    if proofs:
        await connection.execute(statements.SET_RUN, proofs)
    await remember(connection, memories)
    if versions:
        await connection.execute(statements.ADD_VERSION, versions)
    await connection.execute(statements.ADD_VERDICT, verdicts)


async def _seen(connection: Connection, placed: PlacedObservation) -> Observation:
    """Returns the observation that is answered; another extraction adds none."""
    fetch_id = placed.incoming.observation.fetch_id
    seen = placed.change.observation or await observation_of_fetch(connection, fetch_id)
    assert seen is not None
    return seen
