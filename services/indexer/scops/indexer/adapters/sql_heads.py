"""Moves heads: the part of a verdict that makes a version visible.

Every function runs in the caller's transaction.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from scops.common.db.upsert import insert_ignore
from scops.common.errors import TransientError
from scops.common.ids import PageId
from scops.common.index.ports import Head
from scops.common.index.sql_head_reader import head_of, manifest_columns
from scops.common.messages.change import Verdict, VersionRow
from scops.common.messages.index import IndexOutcome, VersionIndexed
from scops.indexer.adapters import sql_chunks
from scops.indexer.adapters.tables import CHUNK, HEAD, PAGE_VERSION
from scops.indexer.ports import HeadChange
from scops.indexer.target import order


async def locked_head(connection: AsyncConnection, page_id: PageId) -> Any:
    """Returns the head's row, locked until the transaction ends; None without one."""
    statement = select(HEAD).where(HEAD.c.page_id == page_id).with_for_update()
    return (await connection.execute(statement)).one_or_none()


async def bring_to(
    connection: AsyncConnection, change: HeadChange, row: Any, *, now: datetime
) -> VersionIndexed:
    """Moves, refreshes or leaves a head, and returns the answer.

    Args:
        row: of the locked head.
    """
    verdict = change.verdict
    head = head_of(row) if row is not None else None
    if head is None or order(verdict.order_key) > order(head.order_key):
        outcome = await _move(connection, change, row, now=now)
    elif order(verdict.order_key) == order(head.order_key):
        outcome = await _refresh(connection, change, head)
    else:
        outcome = IndexOutcome.SUPERSEDED
    await _note_stale_prefixes(connection, change, head)
    return await _answer(connection, change, outcome)


async def upsert_versions(
    connection: AsyncConnection, page_id: PageId, versions: Sequence[VersionRow]
) -> None:
    """Inserts version rows, and replaces those of a lesser row_revision."""
    for version in sorted(versions, key=lambda version: version.version_id):
        row = {
            "version_id": version.version_id,
            "page_id": page_id,
            "observed_from": version.order_key.observed_from,
            "revision": version.order_key.revision,
            **manifest_columns(version.manifest),
            "observed_to": version.observed_to,
            "row_revision": version.row_revision,
        }
        if not await insert_ignore(connection, PAGE_VERSION, row):
            older = PAGE_VERSION.c.row_revision < version.row_revision
            same = PAGE_VERSION.c.version_id == version.version_id
            await connection.execute(update(PAGE_VERSION).where(same, older).values(row))


async def mark_prefixes_stale(connection: AsyncConnection, page_id: PageId) -> None:
    """Notes that the store's prefixes of a page may not be its head's."""
    await connection.execute(
        update(HEAD)
        .where(HEAD.c.page_id == page_id)
        .values(prefix_ticket=HEAD.c.prefix_ticket + 1, prefixes_stale=True)
    )


async def _move(
    connection: AsyncConnection, change: HeadChange, row: Any, *, now: datetime
) -> IndexOutcome:
    verdict = change.verdict
    # A head never moves back: one that stood at the key when this was planned still does.
    assert change.listed is not None, "the chunks of a head that moves are claimed first"
    values = _head_values(verdict, row, reason=change.reason, now=now)
    if row is None:
        first = {"page_id": verdict.page_id, "prefix_ticket": 0, "prefixes_stale": False}
        if not await insert_ignore(connection, HEAD, first | values):
            raise TransientError(
                f"Another indexer made the first head of page {verdict.page_id} just now.",
                reason="HEAD_RACE",
            )
    else:
        here = HEAD.c.page_id == verdict.page_id
        await connection.execute(update(HEAD).where(here).values(values))
    await sql_chunks.relist(
        connection,
        verdict.page_id,
        change.listed,
        observed_from=verdict.order_key.observed_from,
        now=now,
    )
    is_closing = verdict.closed or change.outcome_standing is IndexOutcome.CLOSED
    return IndexOutcome.CLOSED if is_closing else IndexOutcome.ADDED


async def _refresh(connection: AsyncConnection, change: HeadChange, head: Head) -> IndexOutcome:
    verdict = change.verdict
    values: dict[str, Any] = {"verified_time": max(head.verified_time, verdict.verified_time)}
    if verdict.verified_time >= head.verified_time:
        values["canonical_url"] = verdict.canonical_url
    await connection.execute(update(HEAD).where(HEAD.c.page_id == verdict.page_id).values(values))
    return change.outcome_standing


def _head_values(verdict: Verdict, row: Any, *, reason: str, now: datetime) -> dict[str, Any]:
    values = {
        "observed_from": verdict.order_key.observed_from,
        "revision": verdict.order_key.revision,
        "version_id": verdict.version_id,
        "closed": verdict.closed,
        "closed_reason": reason if verdict.closed else "",
        **manifest_columns(verdict.manifest),
        "canonical_url": verdict.canonical_url,
        "access_context": verdict.access_context,
        "verified_time": verdict.verified_time,
        "visible_time": now,
    }
    if row is not None and row.verified_time > verdict.verified_time:
        # A later observation has spoken of the page's address already.
        values |= {"canonical_url": row.canonical_url, "verified_time": row.verified_time}
    return values


async def _note_stale_prefixes(
    connection: AsyncConnection, change: HeadChange, before: Head | None
) -> None:
    verdict = change.verdict
    url = (await locked_head(connection, verdict.page_id)).canonical_url
    inserted = any(not claim.stored for claim in change.claims.values())
    contested = any(claim.contested for claim in change.claims.values())
    moved = before is not None and before.canonical_url != url
    if moved or contested or (inserted and url != verdict.canonical_url):
        await mark_prefixes_stale(connection, verdict.page_id)


async def _answer(
    connection: AsyncConnection, change: HeadChange, outcome: IndexOutcome
) -> VersionIndexed:
    verdict = change.verdict
    row = await locked_head(connection, verdict.page_id)
    listed = select(func.count()).where(
        CHUNK.c.page_id == verdict.page_id, CHUNK.c.unlisted_since.is_(None)
    )
    return VersionIndexed(
        page_id=verdict.page_id,
        fetch_id=verdict.fetch_id,
        outcome=outcome,
        version_id=verdict.version_id,
        order_key=verdict.order_key,
        visible_time=None if outcome is IndexOutcome.SUPERSEDED else row.visible_time,
        chunks_total=(await connection.execute(listed)).scalar_one(),
        chunks_embedded=change.embedded,
        reason=change.reason,
    )
