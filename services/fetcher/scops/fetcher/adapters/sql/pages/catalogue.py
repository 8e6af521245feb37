"""Questions about pages and jobs in SQL."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, case, func, literal_column, or_, select, text

from scops.common.contract.ids import JobId, PageId
from scops.common.contract.messages.crawl import (
    JobRecord,
    JobState,
    KnownPage,
    KnownUrlsRequest,
    KnownUrlsResponse,
    PageOutcome,
    PagePlanResponse,
)
from scops.common.contract.service_table import Lane
from scops.common.db.batches import rows_of
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.types import EPOCH, UtcDateTime
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql.ledger.admitting import REFUSED_MARK
from scops.fetcher.adapters.sql.ledger.jobs import job_counts
from scops.fetcher.adapters.sql.pages.known_urls import (
    TOKEN_SEPARATOR,
    first_pages,
    read_token,
    reverse_hosts,
)
from scops.fetcher.adapters.sql.tables import AWAITED as AWAITED_STATES
from scops.fetcher.adapters.sql.tables import (
    RUNNING,
    WEIGHT,
    alias,
    fetch,
    host,
    job,
    job_page,
    page,
    queue,
)
from scops.fetcher.adapters.sql.transaction import Row
from scops.fetcher.discovery.tracking import without_tracking
from scops.fetcher.frontier.outcomes import Outcome
from scops.fetcher.politeness.delays import HostDelays
from scops.fetcher.ports.catalogue import CheckablePage, Sizes

# Pages in one answer to `known_urls`.
PAGE_SIZE_MAX = 500
# Jobs, or outcomes of one, in one answer to `job_status`.
OUTCOMES_MAX = 1500
# What a page is after a fetch that said something of it.
CLOSED = frozenset({Outcome.GONE.value, Outcome.JOINED.value})
OBSERVED = CLOSED | {"fetched", "unmodified"}

# Of anything but what people wait for: a look lasts no longer where there is more.
COUNTED_MAX = 100_000


def _entries_by_due(entries: Any) -> Any:
    """Returns the statement that counts entries of the frontier, and those that are due."""
    is_due = entries.c.due_time <= bindparam("now", type_=UtcDateTime)
    due = func.coalesce(func.sum(case((is_due, 1), else_=0)), 0)
    return select(func.count().label("entries"), due.label("due"))


def _count_of(table: Any, condition: Any) -> Any:
    """Returns the statement that counts rows, as far as `COUNTED_MAX`."""
    found = select(*table.primary_key.columns).where(condition).limit(bindparam("counted_max"))
    return select(func.count()).select_from(found.subquery())


# What people wait for: through the hosts that are to be looked at for it, however much crawls have.
QUEUED_NOW = _entries_by_due(queue).where(
    queue.c.host_key.in_(select(host.c.host_key).where(host.c.wake_now >= EPOCH)),
    queue.c.lane == Lane.NOW.value,
)
QUEUED_BULK = _entries_by_due(
    select(queue.c.due_time)
    .where(queue.c.lane == Lane.BULK.value)
    .limit(bindparam("counted_max"))
    .subquery()
)
CHECKABLE = select(page).where(
    page.c.organisation_id == bindparam("of_organisation"),
    page.c.access_context == PUBLIC,
    page.c.page_id.in_(bindparam("of_pages", expanding=True)),
)
OF_PAGES = select(page).where(page.c.page_id.in_(bindparam("of_pages", expanding=True)))
OF_JOBS = job.c.job_id.in_(bindparam("of_jobs", expanding=True))
_running = (
    select(job.c.accepted_time)
    .where(text(RUNNING))
    .order_by(job.c.accepted_time)
    .limit(bindparam("counted_max"))
    .subquery()
)
OPEN_JOBS = select(
    func.count().label("jobs"),
    func.min(_running.c.accepted_time, type_=UtcDateTime).label("oldest"),
).select_from(_running)
# A cut answer lacks the least of what matters.
_first = (
    select(job_page, literal_column(WEIGHT).label("weight"))
    .where(job_page.c.job_id == bindparam("of_job"))
    .order_by(literal_column(WEIGHT), job_page.c.url, job_page.c.page_id)
    .limit(bindparam("at_most"))
    .subquery("first")
)
_named = (
    (alias.c.url == _first.c.url)
    & (alias.c.organisation_id == job.c.organisation_id)
    & (alias.c.access_context == job.c.access_context)
    & (_first.c.outcome == Outcome.JOINED.value)
)
OUTCOMES = (
    select(_first, page.c.canonical_url.label("joined_url"))
    .join(job, job.c.job_id == _first.c.job_id)
    .outerjoin(alias, _named)
    .outerjoin(page, page.c.page_id == alias.c.page_id)
    .order_by(_first.c.weight, _first.c.url, _first.c.page_id)
)
IS_NOW = bindparam("now", type_=UtcDateTime)
READY_HOSTS = _count_of(host, or_(host.c.wake_now <= IS_NOW, host.c.wake_bulk <= IS_NOW))
AWAITED = _count_of(fetch, fetch.c.state.in_(AWAITED_STATES))


class SqlCatalogue:
    """A `Catalogue` of one organisation; see there for the contract."""

    def __init__(
        self,
        database: Database,
        *,
        organisation_id: str,
        delays: HostDelays,
    ) -> None:
        self._database = database
        self._organisation_id = organisation_id
        self._delays = delays

    async def sizes(self, *, now: datetime) -> Sizes:
        async with self._database.reading() as connection:
            at_most = {"now": now, "counted_max": COUNTED_MAX}
            counts = {
                Lane.NOW: (await connection.execute(QUEUED_NOW, {"now": now})).one(),
                Lane.BULK: (await connection.execute(QUEUED_BULK, at_most)).one(),
            }
            of_all = {"counted_max": COUNTED_MAX}
            open_jobs = (await connection.execute(OPEN_JOBS, of_all)).one()
            awaited = (await connection.execute(AWAITED, of_all)).scalar_one()
            ready = (await connection.execute(READY_HOSTS, at_most)).scalar_one()
        return Sizes(
            queued={
                lane: (int(row.due), int(row.entries - row.due)) for lane, row in counts.items()
            },
            open_jobs=int(open_jobs.jobs),
            oldest_open_time=open_jobs.oldest,
            awaited_fetches=int(awaited),
            ready_hosts=int(ready),
        )

    async def known_urls(self, request: KnownUrlsRequest) -> KnownUrlsResponse:
        size = min(request.page_size or PAGE_SIZE_MAX, PAGE_SIZE_MAX)
        after = read_token(request.page_token) if request.page_token else None
        async with self._database.reading() as connection:
            of = self._organisation_id
            first = await first_pages(connection, of, request.prefixes, after, size + 1)
            named = {"of_pages": [page_id for _, page_id in first[:size]]}
            rows = {row.page_id: row for row in await rows_of(connection, OF_PAGES, named)}
            pages = await _known_pages(connection, [rows[page_id] for _, page_id in first[:size]])
        token = TOKEN_SEPARATOR.join(first[size - 1]) if len(first) > size else ""
        return KnownUrlsResponse(pages=pages, next_page_token=token)

    async def index_hosts(self, *, limit: int) -> bool:
        async with self._database.transaction() as connection:
            return await reverse_hosts(connection, self._organisation_id, limit=limit)

    async def page_plan(
        self, *, page_id: PageId, url: str, contexts: Sequence[str]
    ) -> PagePlanResponse:
        async with self._database.reading() as connection:
            row = (await connection.execute(self._page(page_id, url, contexts))).first()
            if row is None and url:
                bare = self._page(page_id, without_tracking(url), contexts)
                row = (await connection.execute(bare)).first()
            if row is None:
                return PagePlanResponse()
            (known,) = await _known_pages(connection, [row])
            clock = select(host).where(host.c.host_key == row.host_key)
            host_row = (await connection.execute(clock)).first()
        delay = self._delays.pause_seconds(
            row.host_key,
            asked_seconds=host_row.crawl_delay_seconds if host_row else 0.0,
            response_seconds=host_row.response_seconds if host_row else 0.0,
        )
        return PagePlanResponse(
            page=known,
            host_key=row.host_key,
            host_next_allowed_time=host_row.next_allowed_time if host_row else None,
            host_delay_seconds=delay,
            has_validators=bool(row.validator_fetch_id and (row.etag or row.last_modified)),
        )

    async def checkable(self, page_ids: Sequence[PageId]) -> Sequence[CheckablePage]:
        named = {"of_organisation": self._organisation_id, "of_pages": list(page_ids)}
        async with self._database.reading() as connection:
            rows = await rows_of(connection, CHECKABLE, named)
        return tuple(_checkable(row) for row in rows)

    def _page(self, page_id: PageId, url: str, contexts: Sequence[str]) -> Any:
        mine = select(page).where(page.c.organisation_id == self._organisation_id)
        if page_id:
            return mine.where(page.c.page_id == page_id)
        named = mine.join(alias, alias.c.page_id == page.c.page_id).where(
            alias.c.organisation_id == self._organisation_id,
            alias.c.url == url,
            alias.c.access_context.in_(contexts),
        )
        # What the index has confirmed says most, and what was fetched more than what was captured.
        unconfirmed = case((page.c.validator_fetch_id.is_(None), 1), else_=0)
        captured = case((page.c.access_context == PUBLIC, 0), else_=1)
        return named.order_by(unconfirmed, captured, page.c.page_id).limit(1)

    async def jobs(self, job_ids: Sequence[JobId]) -> Sequence[JobRecord]:
        mine = select(job).where(job.c.organisation_id == self._organisation_id)
        newest_first = mine.order_by(job.c.accepted_time.desc(), job.c.job_id).limit(OUTCOMES_MAX)
        async with self._database.reading() as connection:
            if job_ids:
                named = {"of_jobs": list(dict.fromkeys(job_ids))}
                rows = await rows_of(connection, newest_first.where(OF_JOBS), named)
                rows.sort(key=lambda row: (-row.accepted_time.timestamp(), row.job_id))
                rows = rows[:OUTCOMES_MAX]
            else:
                rows = list((await connection.execute(newest_first)).all())
            wanted = rows[0].job_id if len(job_ids) == 1 and rows else ""
            outcomes = await self._outcomes(connection, wanted) if wanted else ()
        return tuple(_record(row, outcomes) for row in rows)

    async def _outcomes(self, connection: Connection, job_id: str) -> tuple[PageOutcome, ...]:
        rows = await connection.execute(OUTCOMES, {"of_job": job_id, "at_most": OUTCOMES_MAX})
        return tuple(_outcome(row) for row in rows)


async def _known_pages(connection: Connection, rows: Sequence[Row]) -> tuple[KnownPage, ...]:
    names: dict[str, list[str]] = {row.page_id: [] for row in rows}
    found = await connection.execute(
        select(alias.c.page_id, alias.c.url)
        .where(alias.c.page_id.in_(list(names)))
        .order_by(alias.c.url)
    )
    for name in found:
        names[name.page_id].append(name.url)
    joined = await _joined_urls(connection, list(names))
    return tuple(_known_page(row, names[row.page_id], joined) for row in rows)


async def _joined_urls(connection: Connection, page_ids: Sequence[str]) -> dict[str, str]:
    """Returns the URLs of the pages to which some pages were joined, by the page that was."""
    target = page.alias("target")
    found = await connection.execute(
        select(page.c.page_id, target.c.canonical_url)
        .join(
            alias,
            (alias.c.url == page.c.canonical_url)
            & (alias.c.organisation_id == page.c.organisation_id)
            & (alias.c.access_context == page.c.access_context),
        )
        .join(target, target.c.page_id == alias.c.page_id)
        .where(page.c.page_id.in_(page_ids), page.c.status == Outcome.JOINED.value)
    )
    return {row.page_id: row.canonical_url for row in found}


def _known_page(row: Row, names: Sequence[str], joined: Mapping[str, str]) -> KnownPage:
    return KnownPage(
        page_id=PageId(row.page_id),
        canonical_url=row.canonical_url,
        access_context=row.access_context,
        status=row.status,
        last_fetch_time=row.last_fetch_time,
        last_reason=row.last_reason,
        aliases=tuple(name for name in names if name != row.canonical_url),
        joined_url=joined.get(row.page_id, ""),
        captured_by=row.captured_by,
        content_digest=row.content_key if row.captured_by else "",
    )


def _checkable(row: Row) -> CheckablePage:
    known = row.status in OBSERVED and row.awaiting_fetch_id is None
    return CheckablePage(
        page_id=PageId(row.page_id),
        url=row.canonical_url,
        observed_time=row.last_observed_time if known else None,
        gone=row.status in CLOSED,
    )


def _record(row: Row, outcomes: tuple[PageOutcome, ...]) -> JobRecord:
    return JobRecord(
        job_id=JobId(row.job_id),
        scope_id=row.scope_id,
        state=JobState(row.state),
        counts=job_counts(row),
        accepted_time=row.accepted_time,
        finished_time=row.finished_time,
        outcomes=outcomes,
    )


def _outcome(row: Row) -> PageOutcome:
    is_page = not row.page_id.startswith(REFUSED_MARK)
    return PageOutcome(
        page_id=PageId(row.page_id if is_page else ""),
        url=row.url,
        outcome=row.outcome or "open",
        reason=row.reason,
        joined_url=row.joined_url or row.leads_to,
    )
