"""Moves heads: the part of a verdict that makes a version visible.

Every function runs in the caller's transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select, update

from scops.common.contract.errors import TransientError
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import Verdict, VersionRow
from scops.common.contract.messages.index import IndexOutcome, VersionIndexed
from scops.common.db.connection import Connection
from scops.common.db.locks import lock_rows
from scops.common.db.upsert import insert_ignore
from scops.indexer.adapters import sql_chunks
from scops.indexer.adapters.tables import CHUNK, HEAD, PAGE_VERSION
from scops.indexer.objects.target import order
from scops.indexer.ports import AppliedVerdict, HeadChange
from scops.libraries.index.rows.head_reader import manifest_columns

# Building a statement costs more than running it: each is built once.
_LISTED = (
    select(func.count())
    .select_from(CHUNK)
    .where(CHUNK.c.page_id == bindparam("of_page"), CHUNK.c.unlisted_since.is_(None))
    .scalar_subquery()
    .label("listed")
)
_LOCK = select(HEAD.c.page_id).where(HEAD.c.page_id == bindparam("of_page")).with_for_update()
_LOCKED_HEAD = select(HEAD, _LISTED).where(HEAD.c.page_id == bindparam("of_page"))
_SET_HEAD = update(HEAD).where(HEAD.c.page_id == bindparam("of_page"))
_SET_OLDER_VERSION = update(PAGE_VERSION).where(
    PAGE_VERSION.c.version_id == bindparam("of_version"),
    PAGE_VERSION.c.row_revision < bindparam("before_revision"),
)


async def locked_head(connection: Connection, page_id: PageId) -> Any:
    """Returns the head's row, locked until the transaction ends; None without one.

    It has one more column, `listed`: how many chunks the head lists.
    """
    named = {"of_page": page_id}
    # A lock that was waited for lets the next statement, not its own, see what it waited for.
    is_locked = await lock_rows(connection, _LOCK, named)
    row = (await connection.execute(_LOCKED_HEAD, named)).one_or_none()
    if row is None or is_locked:
        return row
    # The first head of the page was made between the two statements.
    await lock_rows(connection, _LOCK, named)
    return (await connection.execute(_LOCKED_HEAD, named)).one_or_none()


async def bring_to(
    connection: Connection, change: HeadChange, row: Any, *, now: datetime
) -> AppliedVerdict:
    """Moves, refreshes or leaves a head, and returns the answer.

    Args:
        row: of the locked head.
    """
    key = order(change.verdict.order_key)
    standing = None if row is None else (row.observed_from, row.revision)
    if standing is None or key > standing:
        after = await _move(connection, change, row, now=now)
    elif key == standing:
        after = await _refresh(connection, change, row)
    else:
        after = _After(outcome=IndexOutcome.SUPERSEDED, url=row.canonical_url, listed=row.listed)
    is_stale = await _note_stale_prefixes(connection, change, row, after)
    return AppliedVerdict(answer=_answer(change, after), prefixes_stale=is_stale)


async def upsert_versions(
    connection: Connection, page_id: PageId, versions: Sequence[VersionRow]
) -> None:
    """Inserts version rows, and replaces those of a lesser row_revision."""
    for version in sorted(versions, key=lambda version: version.version_id):
        row = {
            "version_id": version.version_id,
            "page_id": page_id,
            "observed_from": version.order_key.observed_from,
            "revision": version.order_key.revision,
            "first_observed": version.first_observed_time,
            **manifest_columns(version.manifest),
            "observed_to": version.observed_to,
            "row_revision": version.row_revision,
        }
        if not await insert_ignore(connection, PAGE_VERSION, row):
            named = {"of_version": version.version_id, "before_revision": version.row_revision}
            await connection.execute(_SET_OLDER_VERSION, named | row)


async def mark_prefixes_stale(connection: Connection, page_id: PageId) -> None:
    """Notes that the store's prefixes of a page may not be its head's."""
    await connection.execute(
        update(HEAD)
        .where(HEAD.c.page_id == page_id)
        .values(prefix_ticket=HEAD.c.prefix_ticket + 1, prefixes_stale=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _After:
    """A head after a verdict was applied."""

    outcome: IndexOutcome
    url: str
    listed: int
    visible_time: datetime | None = None


async def _move(connection: Connection, change: HeadChange, row: Any, *, now: datetime) -> _After:
    verdict = change.verdict
    # A head never moves back: one that stood at the key when this was planned still does.
    assert change.listed is not None, "the chunks of a head that moves are claimed first"
    values = _head_values(verdict, row, reason=change.reason, now=now)
    await _write_head(connection, verdict.page_id, values, first=row is None)
    await sql_chunks.relist(
        connection,
        verdict.page_id,
        change.listed,
        observed_from=verdict.order_key.observed_from,
        now=now,
    )
    is_closing = verdict.closed or change.outcome_standing is IndexOutcome.CLOSED
    return _After(
        outcome=IndexOutcome.CLOSED if is_closing else IndexOutcome.ADDED,
        url=values["canonical_url"],
        listed=len(change.listed),
        visible_time=now,
    )


async def _write_head(
    connection: Connection, page_id: PageId, values: dict[str, Any], *, first: bool
) -> None:
    if not first:
        await connection.execute(_SET_HEAD, {"of_page": page_id} | values)
        return
    row = {"page_id": page_id, "prefix_ticket": 0, "prefixes_stale": False} | values
    if not await insert_ignore(connection, HEAD, row):
        raise TransientError(
            f"Another indexer made the first head of page {page_id} just now.",
            reason="HEAD_RACE",
        )


async def _refresh(connection: Connection, change: HeadChange, row: Any) -> _After:
    verdict = change.verdict
    is_newer = verdict.verified_time >= row.verified_time
    url = verdict.canonical_url if is_newer else row.canonical_url
    values = {"verified_time": max(row.verified_time, verdict.verified_time), "canonical_url": url}
    await connection.execute(_SET_HEAD, {"of_page": verdict.page_id} | values)
    superseded = change.outcome_standing is IndexOutcome.SUPERSEDED
    return _After(
        outcome=change.outcome_standing,
        url=url,
        listed=row.listed,
        visible_time=None if superseded else row.visible_time,
    )


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
    connection: Connection, change: HeadChange, row: Any, after: _After
) -> bool:
    """Finds out whether objects may carry the prefixes of another URL than the head's."""
    inserted = any(not claim.stored for claim in change.claims.values())
    contested = any(claim.contested for claim in change.claims.values())
    moved = row is not None and row.canonical_url != after.url
    if moved or contested or (inserted and after.url != change.verdict.canonical_url):
        await mark_prefixes_stale(connection, change.verdict.page_id)
        return True
    return row is not None and bool(row.prefixes_stale)


def _answer(change: HeadChange, after: _After) -> VersionIndexed:
    verdict = change.verdict
    return VersionIndexed(
        page_id=verdict.page_id,
        fetch_id=verdict.fetch_id,
        outcome=after.outcome,
        version_id=verdict.version_id,
        order_key=verdict.order_key,
        visible_time=after.visible_time,
        chunks_total=after.listed,
        chunks_embedded=change.embedded,
        reason=change.reason,
    )
