"""Reads what the fetcher has on record of a page: its names, fetches and outcomes."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from scops.common.contract import wire
from scops.common.contract.ids import PageId
from scops.common.contract.messages import crawl
from scops.common.contract.service_table import Role
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.observe.page_trace import TraceEntry
from scops.common.scope.contexts import PUBLIC
from scops.common.scope.urls import is_file
from scops.fetcher.adapters.sql.tables import alias, fetch, job, job_page, page


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherTrace:
    """A page as the fetcher knows it.

    Attributes:
        urls: its canonical URL, then every other one that names it.
    """

    page_id: PageId
    urls: tuple[str, ...]
    status: str
    entries: tuple[TraceEntry, ...]


async def trace_fetches(
    database: Database, named: str, *, organisation_id: str
) -> FetcherTrace | None:
    """Returns what is on record of a page; None where no page has this name.

    Args:
        named: a page id, a URL of a page that is fetched without a credential, or that of a
            file; where several scopes have it, the one that was met last.
    """
    async with database.reading() as connection:
        row = await _page(connection, named, organisation_id)
        if row is None:
            return None
        found = await connection.execute(
            select(alias.c.url).where(alias.c.page_id == row.page_id).order_by(alias.c.url)
        )
        urls = [row.canonical_url, *found.scalars()]
        fetches = await connection.execute(select(fetch).where(fetch.c.page_id == row.page_id))
        of_page = job_page.c.page_id == row.page_id
        outcomes = await connection.execute(
            select(job_page, job.c.kind.label("asked_by"))
            .outerjoin(job, job.c.job_id == job_page.c.job_id)
            .where(of_page, job_page.c.closed_time.is_not(None))
        )
        entries = [entry for one in fetches.all() for entry in _fetched(one)]
        return FetcherTrace(
            page_id=PageId(row.page_id),
            urls=tuple(dict.fromkeys(urls)),
            status=row.status,
            entries=(*entries, *(_outcome(one) for one in outcomes.all())),
        )


async def _page(connection: Connection, named: str, organisation_id: str) -> Any:
    by_id = select(page).where(page.c.page_id == named)
    row = (await connection.execute(by_id)).first()
    if row is not None:
        return row
    by_url = (
        select(page)
        .join(alias, alias.c.page_id == page.c.page_id)
        .where(alias.c.organisation_id == organisation_id, alias.c.url == named)
        .order_by(page.c.last_fetch_time.desc())
    )
    if not is_file(named):
        by_url = by_url.where(alias.c.access_context == PUBLIC)
    return (await connection.execute(by_url)).first()


def _fetched(row: Any) -> list[TraceEntry]:
    leased = TraceEntry(
        time=row.leased_time,
        service=Role.FETCHER,
        what="leased",
        fetch_id=row.fetch_id,
        facts={"lane": row.lane, "state": row.state, "outcome": row.outcome, "reason": row.reason},
    )
    if row.event_data is None:
        return [leased]
    event = wire.decode(getattr(crawl, row.event_type), row.event_data)
    published = TraceEntry(
        time=row.published_time,
        service=Role.FETCHER,
        what=row.event_type,
        fetch_id=row.fetch_id,
        facts={
            "observed": row.observed_time,
            "attempt": row.attempt,
            "reason": getattr(event, "reason", ""),
            "captured_by": getattr(event, "captured_by", ""),
            "came_by": getattr(event, "came_by", ""),
        },
        blobs={"body": event.body.digest} if hasattr(event, "body") else {},
    )
    return [leased, published]


def _outcome(row: Any) -> TraceEntry:
    return TraceEntry(
        time=row.closed_time,
        service=Role.FETCHER,
        what="outcome",
        fetch_id=row.fetch_id or "",
        facts={
            "outcome": row.outcome,
            "reason": row.reason,
            "job": row.job_id,
            # A crawl, a recrawl, a call, a check before an answer, or word of a change.
            "asked_by": row.asked_by or "",
        },
    )
