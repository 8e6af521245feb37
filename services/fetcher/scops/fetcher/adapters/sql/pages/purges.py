"""Purges in SQL: every page is looked at once, in the order of their ids."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, delete, func, or_, select, update

from scops.common.contract import wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import PageFetched
from scops.common.contract.messages.purge import (
    PagesPurged,
    PurgeApplied,
    PurgeCount,
    PurgePages,
    PurgePreviewRequest,
    PurgePreviewResponse,
    PurgeSelector,
)
from scops.common.contract.service_table import Lane
from scops.common.db.batches import batches
from scops.common.db.connection import Connection
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import insert_ignore
from scops.common.scope.selection import selects
from scops.fetcher.adapters.sql.ledger.ledger import end_awaited, end_hanging
from scops.fetcher.adapters.sql.pages.pages import NO_VALIDATORS
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import alias, fetch, page, plain_file, purge, signal
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.outcomes import PURGED, Ending, Outcome

OWNER = "fetcher"
# Pages that are looked at in one step, and looked at for one preview.
PAGES_AT_ONCE = 200
PREVIEWED_AT_ONCE = 1000
EXAMPLES_MAX = 20
# In one message, which stays under 64 KiB.
BODIES_AT_ONCE = 500
# Longer than any redelivery.
DONE_KEPT = timedelta(days=8)
# What a page is once nothing is known of its content.
UNKNOWN: dict[str, Any] = {**NO_VALIDATORS, "text_digest": "", "stated_url": ""}

NEXT = select(purge).where(purge.c.done_time.is_(None)).order_by(purge.c.purge_id).limit(1)
OLD_FETCHES = (
    select(fetch)
    .where(
        fetch.c.page_id.in_(bindparam("of_pages", expanding=True)),
        fetch.c.state == "closed",
        fetch.c.observed_time < bindparam("before", type_=UtcDateTime),
    )
    .order_by(fetch.c.fetch_id)
    .with_for_update()
)
SET_PURGE = update(purge).where(purge.c.purge_id == bindparam("of_purge"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The pages that were looked at in one step.

    Attributes:
        covered: those that a purge means.
        after: the last one that was looked at; empty at the end.
    """

    covered: Sequence[Row]
    after: str


class SqlPurgeWalk(SqlState):
    """A `PurgeWalk`; see there for the contract."""

    async def accept(self, command: PurgePages, *, organisation_id: str, now: datetime) -> None:
        row = {
            "purge_id": command.purge_id,
            "organisation_id": organisation_id,
            "command": wire.encode(command),
            "accepted_time": now,
            **_beginning(command.attempt),
        }
        earlier = (purge.c.purge_id == command.purge_id) & (purge.c.attempt < command.attempt)
        async with self._write(now) as tx:
            await insert_ignore(tx.connection, purge, row)
            anew = update(purge).where(earlier).values(**_beginning(command.attempt))
            await tx.execute(anew)

    async def step(self, *, now: datetime) -> bool:
        async with self._database.reading() as connection:
            under_way = (await connection.execute(NEXT)).first()
            if under_way is None:
                return False
            command = wire.decode(PurgePages, under_way.command)
            before = _before(under_way, command, now)
            part = await _part(
                connection,
                command.selector,
                organisation_id=under_way.organisation_id,
                after=under_way.after_page,
                limit=PAGES_AT_ONCE,
            )
        for row in part.covered:
            if row.awaiting_fetch_id is not None:
                async with self._write(now) as tx:
                    ending = Ending(outcome=Outcome.CANCELLED, reason=PURGED)
                    await end_awaited(tx, row, ending, observed_before=before)
        async with self._write(now) as tx:
            await _drop(tx, under_way, replace(command, before_time=before), part)
        return True

    async def preview(
        self, request: PurgePreviewRequest, *, organisation_id: str
    ) -> PurgePreviewResponse:
        before = fetch.c.observed_time < request.before_time
        async with self._database.reading() as connection:
            part = await _part(
                connection,
                request.selector,
                organisation_id=organisation_id,
                after=request.after_page,
                limit=PREVIEWED_AT_ONCE,
            )
            ids = [PageId(row.page_id) for row in part.covered]
            of_pages = select(func.count()).select_from(fetch).where(fetch.c.page_id.in_(ids))
            fetches = (await connection.execute(of_pages.where(before))).scalar_one()
        return PurgePreviewResponse(
            page_ids=tuple(ids),
            urls=tuple(row.canonical_url for row in part.covered[:EXAMPLES_MAX]),
            counts=_counts(len(ids), int(fetches)),
            next_page=PageId(part.after),
        )

    async def scrub(self) -> None:
        await self._database.scrub()

    async def forget(self, *, now: datetime) -> None:
        async with self._write(now) as tx:
            await tx.execute(delete(purge).where(purge.c.done_time < now - DONE_KEPT))


async def _part(
    connection: Connection,
    selector: PurgeSelector,
    *,
    organisation_id: str,
    after: str,
    limit: int,
) -> _Part:
    found = (
        select(page)
        .where(page.c.organisation_id == organisation_id, page.c.page_id > after)
        .order_by(page.c.page_id)
        .limit(limit)
    )
    if selector.page_ids:
        found = found.where(page.c.page_id.in_(selector.page_ids))
    rows = (await connection.execute(found)).all()
    names = await _names(connection, [row.page_id for row in rows], selector)
    covered = [
        row
        for row in rows
        if selects(
            selector,
            page_id=row.page_id,
            canonical_url=row.canonical_url,
            names=names[row.page_id],
        )
    ]
    return _Part(covered=covered, after=rows[-1].page_id if len(rows) == limit else "")


async def _names(
    connection: Connection, page_ids: Sequence[str], selector: PurgeSelector
) -> dict[str, list[str]]:
    """Returns the URLs that name each page, where anybody asks for them."""
    names: dict[str, list[str]] = defaultdict(list)
    if selector.url_prefixes and page_ids:
        found = select(alias.c.page_id, alias.c.url).where(alias.c.page_id.in_(page_ids))
        for row in await connection.execute(found):
            names[row.page_id].append(row.url)
    return names


async def _drop(tx: Transaction, under_way: Row, command: PurgePages, part: _Part) -> None:
    """Drops what the covered pages left, tells of it, and goes on behind them."""
    known = select(purge).where(purge.c.purge_id == command.purge_id).with_for_update()
    row = await tx.first(known)
    place = (under_way.attempt, under_way.batch, under_way.after_page)
    if row is None or place != (row.attempt, row.batch, row.after_page):
        # Another replica has taken this step, or the purge begins anew.
        return
    bodies, fetch_count = await _drop_fetches(tx, part.covered, command.before_time)
    await _blank_pages(tx, part.covered, command.before_time)
    messages = _messages(row, command, part, bodies)
    for message in messages:
        await _send(tx, message, row)
    last = not part.after
    batch = row.batch + len(messages)
    page_count, fetch_count = row.page_count + len(part.covered), row.fetch_count + fetch_count
    await tx.execute(
        SET_PURGE,
        of_purge=command.purge_id,
        after_page=part.after,
        batch=batch,
        page_count=page_count,
        fetch_count=fetch_count,
        done_time=tx.now if last else None,
    )
    if last:
        applied = PurgeApplied(
            purge_id=command.purge_id,
            attempt=row.attempt,
            batch=batch,
            owner=OWNER,
            counts=_counts(page_count, fetch_count),
            last=True,
            applied_time=tx.now,
        )
        await _send(tx, applied, row)


async def _drop_fetches(
    tx: Transaction, covered: Sequence[Row], before: datetime
) -> tuple[list[str], int]:
    """Deletes the rows of old fetches; returns bodies that nothing was extracted from."""
    of_pages = [row.page_id for row in covered]
    rows = await tx.all(OLD_FETCHES, of_pages=of_pages, before=before)
    for some in batches([row.fetch_id for row in rows]):
        # Of those that are settled a job may still wait for the links.
        await end_hanging(tx, some, Ending(outcome=Outcome.CANCELLED, reason=PURGED))
        await tx.execute(delete(fetch).where(fetch.c.fetch_id.in_(some)))
    unread = {
        wire.decode(PageFetched, row.event_data).body.digest
        for row in rows
        if row.event_type == PageFetched.__name__ and row.links_digest is None
    }
    return sorted(unread), len(rows)


async def _blank_pages(tx: Transaction, covered: Sequence[Row], before: datetime) -> None:
    """Forgets what was known of the content of pages, and of listings that may quote it."""
    of_pages = [row.page_id for row in covered]
    old = page.c.page_id.in_(of_pages) & (page.c.last_observed_time < before)
    await tx.lock(select(page.c.page_id).where(old).order_by(page.c.page_id).with_for_update())
    await tx.execute(update(page).where(old).values(**UNKNOWN))
    await tx.execute(
        delete(signal).where(signal.c.page_id.in_(of_pages), signal.c.seen_time < before)
    )
    for netloc in sorted({row.netloc for row in covered}):
        beginnings = (f"{scheme}://{netloc}/" for scheme in ("http", "https"))
        quoting = or_(*(plain_file.c.url.startswith(url, autoescape=True) for url in beginnings))
        empty = update(plain_file).where(quoting, plain_file.c.body.is_not(None))
        await tx.execute(empty.values(body=None, etag="", last_modified=""))


def _messages(
    row: Row, command: PurgePages, part: _Part, bodies: Sequence[str]
) -> list[PagesPurged]:
    """Returns what the covered pages are told by: one batch, and more for many bodies."""
    if not part.covered:
        return []
    parts = list(batches(bodies, BODIES_AT_ONCE)) or [[]]
    return [
        PagesPurged(
            purge_id=command.purge_id,
            attempt=row.attempt,
            batch=row.batch + 1 + place,
            page_ids=tuple(PageId(one.page_id) for one in part.covered) if place == 0 else (),
            before_time=command.before_time,
            body_digests=tuple(some),
        )
        for place, some in enumerate(parts)
    ]


async def _send(tx: Transaction, message: PagesPurged | PurgeApplied, row: Row) -> None:
    await tx.send(
        message,
        cause=f"{message.purge_id}/{message.attempt}/{type(message).__name__}",
        ordinal=message.batch,
        organisation_id=row.organisation_id,
        lane=Lane.NOW,
    )


def _before(row: Row, command: PurgePages, now: datetime) -> datetime:
    """Returns before which instant the pages of this step are purged.

    An attempt that repeats another one spares what was fetched since that one.
    """
    if not command.until_taken:
        return command.before_time
    taken: datetime = now if row.attempt == 1 else row.accepted_time
    return max(command.before_time, taken)


def _beginning(attempt: int) -> dict[str, Any]:
    return {
        "attempt": attempt,
        "after_page": "",
        "batch": 0,
        "page_count": 0,
        "fetch_count": 0,
        "done_time": None,
    }


def _counts(pages: int, fetches: int) -> tuple[PurgeCount, ...]:
    return PurgeCount(kind="pages", count=pages), PurgeCount(kind="fetches", count=fetches)
