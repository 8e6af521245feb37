"""The ledger in SQL: jobs come in, outcomes come back, lost fetches are published again."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, text, update

from scops.common.contract import wire
from scops.common.contract.ids import FetchId, JobId, PageId
from scops.common.contract.messages import crawl
from scops.common.contract.messages.content import PageKind
from scops.common.contract.messages.crawl import JobState
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane
from scops.common.db.outbox import waits
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import insert_ignore
from scops.fetcher.adapters.sql.frontier.queue import wake_page
from scops.fetcher.adapters.sql.frontier.recovery import give_up_fetch
from scops.fetcher.adapters.sql.ledger.accept import accept_job, job_values
from scops.fetcher.adapters.sql.ledger.ending import end_some_rows
from scops.fetcher.adapters.sql.ledger.extracted import take_extracted
from scops.fetcher.adapters.sql.ledger.forgetting import forget_due
from scops.fetcher.adapters.sql.ledger.jobs import (
    CLOSE_OF_FETCH,
    JOBS_OF_FETCH,
    close_rows,
    closing,
    finish_job,
)
from scops.fetcher.adapters.sql.ledger.revisits import NEXT_TO_TAKE_UP, take_up
from scops.fetcher.adapters.sql.ledger.together import (
    CONFIRMED,
    CONFIRMING_KINDS,
    FETCHES,
    JOBS_OF_FETCHES,
    close_taken,
    is_plainly_indexed,
    settle_together,
)
from scops.fetcher.adapters.sql.pages.captures import close_repeated, is_indexed
from scops.fetcher.adapters.sql.pages.pages import NO_VALIDATORS
from scops.fetcher.adapters.sql.pages.renderings import show_by_browser
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import (
    AWAITED,
    HANGING,
    fetch,
    host,
    job,
    job_page,
    outbox,
    page,
)
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.outcomes import (
    LINKS_LOST,
    LOST,
    SAME_CONTENT,
    Ending,
    Outcome,
)
from scops.fetcher.ports.ledger import ExtractedPage, LostFetch, NewJob

SUCCESSES = (Outcome.INDEXED, Outcome.UNCHANGED)
# What fetches that close their page stand for.
CLOSED_KINDS = {kind.value: kind for kind in (Outcome.GONE, Outcome.JOINED)}
# Times that a lost fetch is published again before it ends as dead(lost).
REPUBLISHED_MAX = 3

FETCH = select(fetch).where(fetch.c.fetch_id == bindparam("of_fetch")).with_for_update()
SET_FETCH = update(fetch).where(fetch.c.fetch_id == bindparam("of_fetch"))
# What still holds its host is given up with the host's lease.
UNRECORDED = select(fetch.c.fetch_id).where(
    fetch.c.state == "leased",
    fetch.c.leased_time < bindparam("before", type_=UtcDateTime),
    # By the page's host: few fetches are that old, and hosts are many.
    ~select(host.c.host_key)
    .join(page, page.c.host_key == host.c.host_key)
    .where(page.c.page_id == fetch.c.page_id, host.c.lease_id == fetch.c.fetch_id)
    .exists(),
)
UNSETTLED = (
    select(fetch.c.fetch_id, fetch.c.published_time)
    .where(
        fetch.c.state == "published",
        fetch.c.published_time < bindparam("before", type_=UtcDateTime),
    )
    .order_by(fetch.c.published_time, fetch.c.fetch_id)
    .limit(bindparam("at_most"))
)
_hanging = select(job_page.c.fetch_id).where(text(HANGING)).distinct().cte("hanging")
# Their outcome is known, and rows wait for their links: what was extracted got lost on its way.
LINKLESS = (
    select(fetch.c.fetch_id, fetch.c.published_time)
    .join(_hanging, _hanging.c.fetch_id == fetch.c.fetch_id)
    .where(
        # Says that it is closed too, without an index that leads over every closed fetch.
        fetch.c.outcome != "",
        fetch.c.published_time < bindparam("before", type_=UtcDateTime),
    )
    .order_by(fetch.c.published_time, fetch.c.fetch_id)
    .limit(bindparam("at_most"))
)
HANGS = (
    select(job_page.c.job_id)
    .where(job_page.c.fetch_id == bindparam("of_fetch"), job_page.c.state == "open")
    .limit(1)
)
SETTLE_FETCH = SET_FETCH.returning(*fetch.c)
FREE_PAGE = (
    update(page)
    .where(
        page.c.page_id == bindparam("of_page"),
        page.c.awaiting_fetch_id == bindparam("of_fetch"),
    )
    .returning(*page.c)
)
CLOSE_TAKEN = closing(
    (job_page.c.fetch_id == bindparam("of_fetch")) & job_page.c.links_taken.is_(True)
)


class SqlLedger(SqlState):
    """A `Ledger`; see there for the contract."""

    async def accept(self, new: NewJob, *, now: datetime) -> None:
        async with self._write(now) as tx:
            await accept_job(tx, new)

    async def take_up_some(self, *, now: datetime) -> bool:
        async with self._database.reading() as connection:
            job_id = (await connection.execute(NEXT_TO_TAKE_UP)).scalar_one_or_none()
        if job_id is None:
            return False
        async with self._write(now) as tx:
            await take_up(tx, job_id)
        return True

    async def end_job(
        self, job_id: JobId, ending: Ending, *, organisation_id: str, lane: Lane, now: datetime
    ) -> bool:
        state = JobState.CANCELLED if ending.outcome is Outcome.CANCELLED else JobState.FAILED
        async with self._write(now) as tx:
            # Its command may come later, or never: the job is known and ended either way.
            await insert_ignore(
                tx.connection, job, _unknown_job(job_id, organisation_id, lane, now)
            )
            row = await tx.first(select(job).where(job.c.job_id == job_id).with_for_update())
            assert row is not None
            if row.state != JobState.RUNNING:
                return True
            if not await end_some_rows(tx, job_id, ending, ends_as=state):
                return False
            await finish_job(tx, job_id, state)
            return True

    async def take_extraction(self, extraction: ExtractedPage, *, now: datetime) -> None:
        async with self._write(now) as tx:
            row = await _fetch_row(tx, extraction.fetch_id)
            if row is None:
                return
            await take_extracted(tx, [(row, extraction)])
            if extraction.blocked_kind == PageKind.REPEATED.value:
                repeated = Ending(outcome=Outcome.JOINED, reason=SAME_CONTENT)
                stood = await is_indexed(tx, row.page_id)
                await _settle(tx, row, repeated, whole=True)
                await close_repeated(tx, row, stood=stood)
            elif extraction.blocked_kind:
                if extraction.blocked_kind == PageKind.APP_SHELL.value:
                    await show_by_browser(tx, row)
                blocked = Ending(outcome=Outcome.BLOCKED, reason=extraction.blocked_kind)
                await _settle(tx, row, blocked, whole=True)
            elif row.outcome:
                await _close_by(tx, row, whole=False)

    async def take_extractions(
        self, extractions: Sequence[ExtractedPage], *, now: datetime
    ) -> None:
        by_fetch = {one.fetch_id: one for one in extractions}
        async with self._write(now) as tx:
            rows = {row.fetch_id: row for row in await tx.all(FETCHES, of_fetches=sorted(by_fetch))}
            await tx.lock(JOBS_OF_FETCHES, of_fetches=sorted(by_fetch))
            known = [(rows[one.fetch_id], one) for one in extractions if one.fetch_id in rows]
            await take_extracted(tx, known)
            await close_taken(tx, [row for row in rows.values() if row.outcome])

    async def settle(self, fetch_id: FetchId, ending: Ending, *, now: datetime) -> None:
        async with self._write(now) as tx:
            row = await _fetch_row(tx, fetch_id)
            if row is not None:
                await _settle(tx, row, _as_seen(row, ending), whole=False)

    async def settle_indexed(
        self, fetch_ids: Collection[FetchId], *, now: datetime
    ) -> Collection[FetchId]:
        async with self._write(now) as tx:
            rows = await tx.all(FETCHES, of_fetches=sorted(fetch_ids))
            plain = [row for row in rows if is_plainly_indexed(row)]
            if plain:
                indexed = Ending(outcome=Outcome.INDEXED)
                await settle_together(tx, plain, indexed, confirming=True)
        return frozenset(row.fetch_id for row in plain)

    async def fail(self, fetch_id: FetchId, page_id: PageId, reason: str, *, now: datetime) -> None:
        async with self._write(now) as tx:
            row = await _fetch_row(tx, fetch_id or await _awaited_fetch(tx, page_id))
            if row is not None:
                await _settle(tx, row, Ending(outcome=Outcome.DEAD, reason=reason), whole=True)

    async def unsettled(self, *, published_before: datetime, limit: int) -> Sequence[LostFetch]:
        bounds = {"before": published_before, "at_most": limit}
        async with self._database.reading() as connection:
            rows = list((await connection.execute(UNSETTLED, bounds)).all())
            rows += (await connection.execute(LINKLESS, bounds)).all()
        rows.sort(key=lambda row: (row.published_time, row.fetch_id))
        return tuple(
            LostFetch(fetch_id=row.fetch_id, published_time=row.published_time)
            for row in rows[:limit]
        )

    async def give_up_unrecorded(self, *, leased_before: datetime, now: datetime) -> None:
        async with self._database.reading() as connection:
            found = await connection.execute(UNRECORDED, {"before": leased_before})
            fetch_ids = [row.fetch_id for row in found]
        for fetch_id in fetch_ids:
            async with self._write(now) as tx:
                await _fetch_row(tx, fetch_id)
                await give_up_fetch(tx, fetch_id)

    async def unsent(self, *, created_before: datetime) -> bool:
        waiting = select(outbox.c.created_at).where(waits(outbox))
        oldest = waiting.order_by(outbox.c.position).limit(1)
        async with self._database.reading() as connection:
            row = (await connection.execute(oldest)).first()
        return row is not None and row.created_at < created_before

    async def republish(
        self, fetch_id: FetchId, *, published_before: datetime, may_end: bool, now: datetime
    ) -> None:
        async with self._write(now) as tx:
            row = await _fetch_row(tx, fetch_id)
            if row is None or not row.event_type or row.published_time >= published_before:
                return
            if row.state != "published" and await tx.first(HANGS, of_fetch=fetch_id) is None:
                return
            if row.attempt <= REPUBLISHED_MAX:
                await publish_again(tx, row)
            elif may_end and row.outcome:
                await close_rows(tx, CLOSE_OF_FETCH, _linkless(row), of_fetch=fetch_id)
            elif may_end:
                await _settle(tx, row, Ending(outcome=Outcome.DEAD, reason=LOST), whole=True)

    async def forget(self, *, now: datetime) -> bool:
        async with self._write(now) as tx:
            return await forget_due(tx)


async def end_awaited(
    tx: Transaction, page_row: Row, ending: Ending, *, observed_before: datetime
) -> None:
    """Ends the fetch whose outcome a page awaits, if it was observed before an instant."""
    row = await _fetch_row(tx, page_row.awaiting_fetch_id)
    if row is not None and row.state in AWAITED and row.observed_time < observed_before:
        await _settle(tx, row, ending, whole=True)


async def end_hanging(tx: Transaction, fetch_ids: Sequence[str], ending: Ending) -> None:
    """Ends the rows that wait for links of settled fetches, because none will come."""
    found = (
        select(job_page.c.fetch_id)
        .where(job_page.c.fetch_id.in_(fetch_ids), text(HANGING))
        .distinct()
        .order_by(job_page.c.fetch_id)
    )
    for row in await tx.all(found):
        await tx.lock(JOBS_OF_FETCH, of_fetch=row.fetch_id)
        await close_rows(tx, CLOSE_OF_FETCH, ending, of_fetch=row.fetch_id)


async def _fetch_row(tx: Transaction, fetch_id: str) -> Row | None:
    row = await tx.first(FETCH, of_fetch=fetch_id)
    await tx.lock(JOBS_OF_FETCH, of_fetch=fetch_id)
    return row


async def _awaited_fetch(tx: Transaction, page_id: PageId) -> str:
    row = await tx.first(select(page.c.awaiting_fetch_id).where(page.c.page_id == page_id))
    return str(row.awaiting_fetch_id or "") if row is not None else ""


def _as_seen(row: Row, ending: Ending) -> Ending:
    """Keeps a vanished page vanished, also where the index had moved on already."""
    closed = CLOSED_KINDS.get(row.kind)
    if closed is None or ending.outcome not in (*SUCCESSES, Outcome.GONE):
        return ending
    # Why a page was joined, the fetch knows better than the index.
    return ending if ending.outcome is closed else Ending(outcome=closed)


async def _settle(tx: Transaction, row: Row, ending: Ending, *, whole: bool) -> None:
    """Gives a fetch its outcome unless it has one, and ends the rows that wait for nothing else.

    Args:
        whole: also rows whose links were not taken, because none will come.
    """
    first = not row.outcome and row.state in AWAITED
    if first:
        row = await tx.first(
            SETTLE_FETCH,
            of_fetch=row.fetch_id,
            state="closed",
            outcome=ending.outcome.value,
            reason=ending.reason or row.reason,
        )
        assert row is not None
        await _settle_page(tx, row, ending)
    if row.outcome:
        await _close_by(tx, row, whole=whole)


async def _settle_page(tx: Transaction, row: Row, ending: Ending) -> None:
    """Frees the page for its next fetch and decides whether that may be conditional."""
    values: dict[str, Any] = {"awaiting_fetch_id": None}
    if ending.outcome not in SUCCESSES:
        values |= {"last_reason": ending.reason or row.reason, **NO_VALIDATORS}
        if ending.outcome not in CLOSED_KINDS.values():
            values["status"] = "failed"
    elif row.kind in CONFIRMING_KINDS:
        values |= {
            "validator_fetch_id": row.fetch_id,
            **{name: getattr(row, name) for name in CONFIRMED},
        }
    freed = await tx.first(FREE_PAGE, of_page=row.page_id, of_fetch=row.fetch_id, **values)
    if freed is not None:
        await wake_page(tx, freed)


async def _close_by(tx: Transaction, row: Row, *, whole: bool) -> None:
    statement = CLOSE_OF_FETCH if whole else CLOSE_TAKEN
    ending = Ending(outcome=Outcome(row.outcome), reason=row.reason)
    await close_rows(tx, statement, ending, of_fetch=row.fetch_id)


def _linkless(row: Row) -> Ending:
    """Returns how rows end whose page's outcome is known, and whose links are lost for good."""
    return Ending(outcome=Outcome(row.outcome), reason=row.reason or LINKS_LOST)


async def publish_again(tx: Transaction, row: Row) -> None:
    """Publishes the event of a fetch with the next attempt."""
    attempt = row.attempt + 1
    event = replace(wire.decode(getattr(crawl, row.event_type), row.event_data), attempt=attempt)
    await tx.execute(SET_FETCH, of_fetch=row.fetch_id, attempt=attempt, published_time=tx.now)
    await tx.send(
        event,
        cause=f"{row.fetch_id}/{attempt}",
        ordinal=0,
        organisation_id=row.organisation_id,
        lane=Lane(row.lane),
    )


def _unknown_job(job_id: JobId, organisation_id: str, lane: Lane, now: datetime) -> dict[str, Any]:
    unknown = NewJob(
        job_id=job_id,
        organisation_id=organisation_id,
        access_context="",
        scope=ScopeRef(),
        kind="unknown",
        lane=lane,
        accepted_time=now,
        page_limit=0,
        depth_limit=0,
        follow_links=False,
        refused={},
    )
    return job_values(unknown, now)
