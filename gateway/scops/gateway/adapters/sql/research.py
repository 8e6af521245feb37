"""Research runs in SQL."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, insert, or_, select, update

from scops.common.contract.errors import QuotaReached
from scops.common.contract.ids import PageId, ScopeId
from scops.common.db import Database
from scops.common.db.connection import Connection
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql import requests, research_keeping
from scops.gateway.adapters.sql.research_rows import (
    progress_values,
    research_of,
    research_values,
)
from scops.gateway.adapters.sql.research_tables import research, research_page
from scops.gateway.chats.chat import ChatId
from scops.gateway.requests.request_keys import RequestKey
from scops.gateway.research.keeping import ScopeKeeping
from scops.gateway.research.research import (
    PassedPage,
    Research,
    ResearchId,
    ResearchState,
    StopReason,
)
from scops.gateway.research.store import ResearchFilter

RUNNING = research.c.state == ResearchState.RUNNING.value
# Runs of a scope whose pages are remembered, and pages in a statement.
RUNS_REMEMBERED, PAGES_AT_ONCE = 50, 500
# Of pages that are no page: asked again, they would most probably say the same.
FRUITLESS = frozenset({"blocked", "gone", "dead"})


class SqlResearch:
    """A `ResearchStore` on the gateway's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, run: Research, *, key: RequestKey | None, open_max: int, is_own: bool = False
    ) -> Research:
        mine = (
            research.c.organisation_id == run.organisation_id,
            research.c.principal == run.principal_id,
        )
        going = select(func.count()).select_from(research).where(*mine, RUNNING)
        now = run.created_time
        async with self._database.transaction() as connection:
            first = await requests.claim(connection, key, created_id=run.research_id, now=now)
            if first is not None:
                known = select(research).where(research.c.research_id == first)
                return research_of((await connection.execute(known)).one())
            if (await connection.execute(going)).scalar_one() >= open_max:
                raise QuotaReached(
                    f"You have {open_max} researches that go on, as many as may at once. Wait for "
                    "one to end, or cancel one.",
                    reason="RESEARCHES_FULL",
                    limit=str(open_max),
                )
            await connection.execute(insert(research), research_values(run))
            if is_own:
                await research_keeping.used(connection, run)
        return run

    async def get(self, research_id: ResearchId) -> Research | None:
        statement = select(research).where(research.c.research_id == research_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(statement)).first()
        return None if row is None else research_of(row)

    async def of_chat(self, chat_id: ChatId) -> Research | None:
        statement = select(research).where(research.c.chat_id == chat_id).limit(1)
        async with self._database.reading() as connection:
            row = (await connection.execute(statement)).first()
        return None if row is None else research_of(row)

    async def newest(self, wanted: ResearchFilter, *, limit: int) -> tuple[Research, ...]:
        held = [
            research.c.organisation_id == wanted.organisation_id,
            research.c.principal == wanted.principal_id,
        ]
        if wanted.before:
            held.append(research.c.research_id < wanted.before)
        newest_first = research.c.research_id.desc()
        statement = select(research).where(*held).order_by(newest_first).limit(limit)
        async with self._database.reading() as connection:
            return tuple(research_of(row) for row in (await connection.execute(statement)).all())

    async def claim(self, *, now: datetime, until: datetime, limit: int) -> tuple[Research, ...]:
        is_free = or_(research.c.claimed_until.is_(None), research.c.claimed_until <= now)
        found = (
            select(research)
            .where(RUNNING, is_free)
            .order_by(research.c.created_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        async with self._database.transaction() as connection:
            taken = [research_of(row) for row in (await connection.execute(found)).all()]
            mine = research.c.research_id.in_([run.research_id for run in taken])
            if taken:
                await connection.execute(update(research).where(mine).values(claimed_until=until))
        return tuple(taken)

    async def save(self, run: Research, *, until: datetime | None) -> bool:
        mine = (research.c.research_id == run.research_id, RUNNING)
        values = progress_values(run) | {"claimed_until": until}
        async with self._database.transaction() as connection:
            done = await connection.execute(update(research).where(*mine).values(values))
            if done.rowcount != 1:
                return False
            for page_id in sorted({page.page_id for page in run.pages if page.page_id}):
                row = {
                    "organisation_id": run.organisation_id,
                    "page_id": page_id,
                    "research_id": run.research_id,
                }
                await insert_ignore(connection, research_page, row)
            if run.ended_time is not None:
                await research_keeping.unused(
                    connection, run.organisation_id, run.scope_id, now=run.ended_time
                )
        return True

    async def cancel(self, research_id: ResearchId, *, now: datetime) -> None:
        values = {
            "state": ResearchState.CANCELLED.value,
            "stopped": StopReason.CANCELLED.value,
            "ended_at": now,
        }
        mine = (research.c.research_id == research_id, RUNNING)
        ended = update(research).where(*mine).values(values)
        of = (research.c.organisation_id, research.c.scope_id)
        async with self._database.transaction() as connection:
            for row in (await connection.execute(ended.returning(*of))).all():
                await research_keeping.unused(
                    connection, row.organisation_id, ScopeId(row.scope_id), now=now
                )

    async def delete(self, research_id: ResearchId) -> None:
        async with self._database.transaction() as connection:
            await _delete(connection, [research_id])

    async def release(self) -> None:
        held = research.c.claimed_until.is_not(None)
        async with self._database.transaction() as connection:
            await connection.execute(update(research).where(held).values(claimed_until=None))
            await research_keeping.release(connection)

    async def wish(self, wanted: ScopeKeeping) -> bool:
        async with self._database.transaction() as connection:
            return await research_keeping.wish(connection, wanted)

    async def hold(
        self, organisation_id: str, scope_id: ScopeId, *, until: datetime
    ) -> ScopeKeeping | None:
        async with self._database.transaction() as connection:
            return await research_keeping.hold(connection, organisation_id, scope_id, until=until)

    async def keepings(
        self, organisation_id: str, scope_ids: Collection[ScopeId]
    ) -> Mapping[ScopeId, ScopeKeeping]:
        async with self._database.reading() as connection:
            return await research_keeping.some(connection, organisation_id, scope_ids)

    async def due(self, *, now: datetime, limit: int) -> tuple[ScopeKeeping, ...]:
        async with self._database.reading() as connection:
            return await research_keeping.due(connection, now=now, limit=limit)

    async def begin_drop(self, due: ScopeKeeping, *, now: datetime, until: datetime) -> bool:
        async with self._database.transaction() as connection:
            return await research_keeping.begin_drop(connection, due, now=now, until=until)

    async def end_drop(self, dropped: ScopeKeeping, *, now: datetime) -> None:
        async with self._database.transaction() as connection:
            await research_keeping.end_drop(connection, dropped, now=now)

    async def let_stand(self, kept: ScopeKeeping) -> None:
        async with self._database.transaction() as connection:
            await research_keeping.let_stand(connection, kept)

    async def fruitless(
        self, scope_id: ScopeId, *, now: datetime, remembered: timedelta
    ) -> Mapping[str, PassedPage]:
        statement = (
            select(research.c.pages, research.c.created_at)
            .where(research.c.scope_id == scope_id, research.c.created_at >= now - remembered)
            .order_by(research.c.created_at.desc())
            .limit(RUNS_REMEMBERED)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        found: dict[str, PassedPage] = {}
        for row in rows:
            for page in row.pages:
                if page["outcome"] in FRUITLESS and page["url"] not in found:
                    found[page["url"]] = PassedPage(
                        url=page["url"],
                        outcome=page["outcome"],
                        reason=page["reason"],
                        until=row.created_at + remembered,
                    )
        return found

    async def purge(
        self, organisation_id: str, page_ids: Sequence[PageId], *, before: datetime
    ) -> int:
        count, wanted = 0, list(dict.fromkeys(page_ids))
        for start in range(0, len(wanted), PAGES_AT_ONCE):
            part = wanted[start : start + PAGES_AT_ONCE]
            count += await self._purge(organisation_id, part, before)
        return count

    async def _purge(
        self, organisation_id: str, page_ids: Sequence[PageId], before: datetime
    ) -> int:
        holding = select(research_page.c.research_id).where(
            research_page.c.organisation_id == organisation_id,
            research_page.c.page_id.in_(page_ids),
        )
        found = (
            select(research)
            .where(research.c.research_id.in_(holding), research.c.created_at < before)
            .with_for_update()
        )
        count = 0
        async with self._database.transaction() as connection:
            for row in (await connection.execute(found)).all():
                run = research_of(row)
                left = without_words(run, frozenset(page_ids))
                if left != run:
                    mine = research.c.research_id == run.research_id
                    pages = {"pages": progress_values(left)["pages"]}
                    await connection.execute(update(research).where(mine).values(pages))
                    count += 1
        return count

    async def forget(self, *, created_before: datetime, limit: int) -> int:
        found = (
            select(research.c.research_id)
            .where(
                research.c.created_at < created_before,
                research.c.state != ResearchState.RUNNING.value,
            )
            .order_by(research.c.created_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        async with self._database.transaction() as connection:
            gone = [ResearchId(row.research_id) for row in (await connection.execute(found)).all()]
            await _delete(connection, gone)
        return len(gone)


def without_words(run: Research, page_ids: frozenset[PageId]) -> Research:
    """Returns a run without the words that stood on some pages: links on them, their titles."""
    purged = {page.url for page in run.pages if page.page_id in page_ids}
    return replace(
        run,
        pages=tuple(
            replace(page, link_text="") if {page.found_on, page.url} & purged else page
            for page in run.pages
        ),
    )


async def _delete(connection: Connection, ids: Sequence[ResearchId]) -> None:
    for table in (research_page, research):
        gone: Any = delete(table).where(table.c.research_id.in_(ids))
        await connection.execute(gone)
