"""The index's rows on SQLite or PostgreSQL: every method is one transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from scops.common.contract import wire
from scops.common.contract.errors import TransientError
from scops.common.contract.ids import EmbeddingKey, EventId, PageId, VersionId
from scops.common.contract.messages.change import VersionRow
from scops.common.contract.messages.index import IndexFailed, VersionIndexed
from scops.common.db.batches import batches_in_turns, rows_of
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.locks import forget_rows
from scops.common.db.methods import reading, transactional
from scops.common.db.upsert import insert_ignore
from scops.indexer.adapters import (
    sql_chunks,
    sql_heads,
    sql_purges,
    sql_vectors,
    sql_verified,
    sql_wordings,
)
from scops.indexer.adapters.tables import ANSWER, HEAD, PAGE_VERSION
from scops.indexer.objects.interval import interval_of
from scops.indexer.ports import (
    PURGED_MEANWHILE,
    Answer,
    AppliedVerdict,
    HeadChange,
    PageState,
    PrefixTicket,
    UnlistedChunk,
)
from scops.libraries.index.ports import FloatArray
from scops.libraries.index.rows.head_reader import head_of, version_of

# The last use of a cached vector is written at most this often: a page seen again costs no write.
VECTOR_TOUCH = timedelta(days=1)
ANSWER_TYPES: dict[str, type[Answer]] = {
    kind.__name__: kind for kind in (VersionIndexed, IndexFailed)
}
# Building a statement costs more than running it: each is built once.
_HEAD = select(HEAD).where(HEAD.c.page_id == bindparam("of_page"))
_VERSIONS = select(PAGE_VERSION).where(
    PAGE_VERSION.c.version_id.in_(bindparam("of_versions", expanding=True))
)
_ANSWER = select(ANSWER).where(ANSWER.c.event_id == bindparam("of_event"))


class SqlIndexRows:
    """Implements the rows port; see there for the contract."""

    claim = transactional(sql_chunks.claim)
    unlisted = reading(sql_chunks.unlisted)
    due_deletions = reading(sql_chunks.due_deletions)
    note_deleted = transactional(sql_chunks.note_deleted)
    incarnations = reading(sql_chunks.incarnations)
    note_dropped = transactional(sql_chunks.note_dropped)
    forget_chunks = transactional(sql_chunks.forget)
    keep_vectors = transactional(sql_vectors.keep)
    verify = transactional(sql_verified.verify)
    purge = transactional(sql_purges.purge)
    kept_manifests = reading(sql_purges.kept_manifests)
    retire_purged = transactional(sql_purges.retire_purged)
    forget_vectors = transactional(sql_purges.forget_vectors)
    unsettled_purges = reading(sql_purges.unsettled_purges)
    note_settled = transactional(sql_purges.note_settled)
    _cached = reading(sql_vectors.cached)
    _note_use = transactional(sql_vectors.note_use)

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page_state(
        self, page_id: PageId, event_id: EventId, version_ids: Sequence[VersionId]
    ) -> PageState:
        async with self._database.reading() as connection:
            answer = await _answered(connection, event_id)
            head = (await connection.execute(_HEAD, {"of_page": page_id})).one_or_none()
            named = {"of_versions": list(version_ids)}
            versions = [version_of(row) for row in await rows_of(connection, _VERSIONS, named)]
            purged_through = await sql_purges.purged_through(connection, page_id)
        return PageState(
            answer=answer,
            head=head_of(head) if head is not None else None,
            prefixes_stale=head is not None and head.prefixes_stale,
            intervals={version.version_id: interval_of(version) for version in versions},
            purged_through=purged_through,
        )

    async def vectors(
        self, keys: Sequence[EmbeddingKey], *, now: datetime
    ) -> Mapping[EmbeddingKey, FloatArray]:
        found, unused = await self._cached(keys, used_before=now - VECTOR_TOUCH)
        if unused:
            await self._note_use(sorted(unused), now=now)
        return found

    async def apply(self, change: HeadChange, *, now: datetime) -> AppliedVerdict | None:
        page_id = change.verdict.page_id
        async with self._database.transaction() as connection:
            row = await sql_heads.locked_head(connection, page_id)
            answer = await _answered(connection, change.event_id)
            if answer is not None:
                stale = row is not None and bool(row.prefixes_stale)
                return AppliedVerdict(answer=answer, prefixes_stale=stale)
            await sql_chunks.lock_page(connection, page_id)
            if await sql_purges.purged_through(connection, page_id) != change.purged_through:
                raise TransientError(
                    f"Page {page_id} was purged while its version was being indexed; the verdict "
                    "is looked at again.",
                    reason=PURGED_MEANWHILE,
                )
            if change.claims:
                if not await sql_chunks.claims_hold(connection, change.claims):
                    return None
                put = [key for key, claim in sorted(change.claims.items()) if not claim.stored]
                await sql_chunks.mark_stored(connection, put)
                await sql_wordings.record(connection, change.wordings)
            await sql_heads.upsert_versions(connection, page_id, change.versions)
            applied = await sql_heads.bring_to(connection, change, row, now=now)
            await _record(connection, change.event_id, applied.answer, now=now)
            return applied

    async def record_failure(self, event_id: EventId, failure: IndexFailed) -> Answer:
        async with self._database.transaction() as connection:
            if await _record(connection, event_id, failure, now=failure.failed_time):
                return failure
            return await _answered(connection, event_id) or failure

    async def open_prefixes(self, page_id: PageId) -> PrefixTicket | None:
        async with self._database.transaction() as connection:
            await sql_heads.mark_prefixes_stale(connection, page_id)
            row = await sql_heads.locked_head(connection, page_id)
            if row is None:
                return None
            return PrefixTicket(number=row.prefix_ticket, canonical_url=row.canonical_url)

    async def close_prefixes(self, page_id: PageId, ticket: PrefixTicket) -> bool:
        newest = (HEAD.c.page_id == page_id) & (HEAD.c.prefix_ticket == ticket.number)
        async with self._database.transaction() as connection:
            result = await connection.execute(
                update(HEAD).where(newest).values(prefixes_stale=False)
            )
            return result.rowcount == 1

    async def stale_pages(self, limit: int) -> Sequence[PageId]:
        statement = (
            select(HEAD.c.page_id)
            .where(HEAD.c.prefixes_stale.is_(True))
            .order_by(HEAD.c.page_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [PageId(row.page_id) for row in await connection.execute(statement)]

    async def retire(self, chunks: Sequence[UnlistedChunk], before: datetime) -> int:
        retired = 0
        async with self._database.transaction() as connection:
            for page_id in sorted({chunk.page_id for chunk in chunks}):
                head = await sql_heads.locked_head(connection, page_id)
                mine = [chunk for chunk in chunks if chunk.page_id == page_id]
                retired += await _retire_of_page(connection, head, mine, before)
        return retired

    async def drop_versions(
        self, page_id: PageId, version_ids: Sequence[VersionId]
    ) -> Sequence[VersionRow]:
        async with self._database.transaction() as connection:
            head = await sql_heads.locked_head(connection, page_id)
            gone = set(version_ids) - {head.version_id if head is not None else ""}
            for version_id in sorted(gone):
                await connection.execute(
                    delete(PAGE_VERSION).where(
                        PAGE_VERSION.c.version_id == version_id,
                        PAGE_VERSION.c.page_id == page_id,
                    )
                )
            kept = select(PAGE_VERSION).where(PAGE_VERSION.c.page_id == page_id)
            return [version_of(row) for row in (await connection.execute(kept)).all()]

    async def scrub(self) -> None:
        await self._database.scrub()

    async def forget(self, *, answered_before: datetime, vectors_max: int, limit: int) -> None:
        old = ANSWER.c.answered_time < answered_before
        async with self._database.transaction() as connection:
            await forget_rows(connection, ANSWER, old, limit=limit)
            await sql_vectors.evict(connection, vectors_max=vectors_max, limit=limit)


async def _retire_of_page(
    connection: Connection, head: Any, chunks: Sequence[UnlistedChunk], before: datetime
) -> int:
    ticket = -1 if head is None else head.prefix_ticket
    if any(chunk.prefix_ticket != ticket for chunk in chunks):
        # The copies in the history may hold the prefixes of an earlier URL.
        await sql_heads.mark_prefixes_stale(connection, chunks[0].page_id)
        return 0
    ordered = sorted(chunks, key=lambda chunk: chunk.chunk_id)
    return sum(
        [
            await sql_chunks.retire(connection, chunk, before)
            async for some in batches_in_turns(ordered, sql_chunks.ROWS_A_TURN)
            for chunk in some
        ]
    )


async def _answered(connection: Connection, event_id: EventId) -> Answer | None:
    row = (await connection.execute(_ANSWER, {"of_event": event_id})).one_or_none()
    return wire.decode(ANSWER_TYPES[row.message_type], row.data) if row is not None else None


async def _record(
    connection: Connection, event_id: EventId, answer: Answer, *, now: datetime
) -> bool:
    """Records an answer; returns whether it is the first to its event."""
    row = {
        "event_id": event_id,
        "message_type": type(answer).__name__,
        "data": wire.encode(answer),
        "answered_time": now,
    }
    return await insert_ignore(connection, ANSWER, row)
