"""Addresses of pages in SQL."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import Row, bindparam, delete, func, select

from scops.change_detector.adapters.tables import news, page_address, run
from scops.change_detector.templates.blocks import host_of
from scops.change_detector.timeline.records import OpenedRun, PageAddress, PageNewsPlace
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import NewsPlace
from scops.common.db.batches import rows_in_batches
from scops.common.db.database import Database
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import insert_for, insert_ignore
from scops.common.scope.contexts import PUBLIC


class SqlAddresses:
    """Implements the `Addresses` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def note(self, address: PageAddress, opened: OpenedRun | None = None) -> None:
        values = {
            "page_id": address.page_id,
            "organisation_id": address.organisation_id,
            "access_context": address.access_context,
            "canonical_url": address.canonical_url,
            "host": host_of(address.canonical_url),
            "news": 1,
            "learned": False,
        }
        async with self._database.transaction() as connection:
            await connection.execute(_noting(connection.dialect.name), values)
            if opened is not None:
                row = {
                    "page_id": address.page_id,
                    "observed_from": opened.observed_from,
                    "recorded_time": opened.recorded_time,
                }
                await insert_ignore(connection, news, row)
                before = {"before": opened.recorded_time - NEWS_KEPT}
                await connection.execute(_FORGET_NEWS, before)

    async def news_after(
        self,
        organisation_id: str,
        after: NewsPlace,
        *,
        until: NewsPlace,
        page_id: PageId | None = None,
        limit: int,
    ) -> Sequence[PageNewsPlace]:
        later = news.c.recorded_time > after.recorded_time
        if after.page_id:
            same = news.c.recorded_time == after.recorded_time
            later = later | (same & (news.c.page_id > after.page_id))
        up_to = news.c.recorded_time <= until.recorded_time
        if until.page_id:
            earlier = news.c.recorded_time < until.recorded_time
            up_to = up_to & (earlier | (news.c.page_id <= until.page_id))
        found = (
            select(page_address, news.c.observed_from, news.c.recorded_time)
            .join(news, news.c.page_id == page_address.c.page_id)
            .where(page_address.c.organisation_id == organisation_id)
            .where(later, up_to)
            .order_by(news.c.recorded_time, news.c.page_id, news.c.observed_from)
            .limit(limit)
        )
        if page_id is not None:
            found = found.where(news.c.page_id == page_id)
        async with self._database.reading() as connection:
            rows = (await connection.execute(found)).all()
        return tuple(
            PageNewsPlace(
                address=address_of(row),
                observed_from=row.observed_from,
                place=NewsPlace(recorded_time=row.recorded_time, page_id=row.page_id),
            )
            for row in rows
        )

    async def newest_news(self, organisation_id: str) -> datetime | None:
        found = (
            select(news.c.recorded_time)
            .join(page_address, news.c.page_id == page_address.c.page_id)
            .where(page_address.c.organisation_id == organisation_id)
            .order_by(news.c.recorded_time.desc())
            .limit(1)
        )
        async with self._database.reading() as connection:
            newest: datetime | None = (await connection.execute(found)).scalar_one_or_none()
        return newest

    async def moved_since(
        self, organisation_id: str, since: datetime, *, limit: int
    ) -> Sequence[PageAddress]:
        newest = func.max(run.c.first_observed)
        found = (
            select(page_address)
            .join(run, run.c.page_id == page_address.c.page_id)
            .where(page_address.c.organisation_id == organisation_id, run.c.first_observed > since)
            .group_by(*page_address.c)
            .order_by(newest.desc(), page_address.c.page_id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(found)).all()
        return tuple(address_of(row) for row in rows)

    async def urls_of(self, page_ids: Sequence[PageId]) -> Mapping[PageId, str]:
        async with self._database.reading() as connection:
            rows = await rows_in_batches(connection, _URLS, "of_pages", page_ids)
        return {PageId(row.page_id): row.canonical_url for row in rows}


# How far back news are told in order.
NEWS_KEPT = timedelta(days=30)
# Building a statement costs more than running it.
_URLS = select(page_address.c.page_id, page_address.c.canonical_url).where(
    page_address.c.page_id.in_(bindparam("of_pages", expanding=True)),
    page_address.c.access_context == PUBLIC,
)
_FORGET_NEWS = delete(news).where(news.c.recorded_time < bindparam("before", type_=UtcDateTime))


@cache
def _noting(dialect_name: str) -> Any:
    statement = insert_for(dialect_name, page_address)
    fresh = {
        name: statement.excluded[name]
        for name in ("organisation_id", "access_context", "canonical_url", "host", "learned")
    }
    return statement.on_conflict_do_update(
        index_elements=["page_id"], set_=fresh | {"news": page_address.c.news + 1}
    )


def address_of(row: Row[Any]) -> PageAddress:
    """Returns the address in a row of `page_address`."""
    return PageAddress(
        page_id=PageId(row.page_id),
        organisation_id=row.organisation_id,
        access_context=row.access_context,
        canonical_url=row.canonical_url,
        news=row.news,
    )
