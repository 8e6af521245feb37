"""Addresses of pages in SQL."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    Row,
    Select,
    Table,
    and_,
    bindparam,
    cast,
    null,
    or_,
    select,
    union_all,
)

from scops.change_detector.adapters.tables import news, page_address, run, settled_news
from scops.change_detector.templates.blocks import host_of
from scops.change_detector.timeline.records import OpenedRun, PageAddress, PageNewsPlace
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import NewsPlace
from scops.common.db.batches import rows_in_batches
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.types import UtcDateTime
from scops.common.db.upsert import insert_for, insert_ignore_many
from scops.common.scope.contexts import PUBLIC

# That one statement reads.
RUNS_AT_ONCE = 500
LATEST = datetime.max.replace(tzinfo=UTC)


class SqlAddresses:
    """Implements the `Addresses` port on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def news_after(
        self,
        organisation_id: str,
        after: NewsPlace,
        *,
        until: NewsPlace,
        page_id: PageId | None = None,
        limit: int,
    ) -> Sequence[PageNewsPlace]:
        kinds = (
            _recorded_after(organisation_id, kind, after, until, page_id).limit(limit).subquery()
            for kind in (news, settled_news)
        )
        recorded = union_all(*(select(kind) for kind in kinds)).subquery()
        found = (
            select(
                page_address, recorded.c.observed_from, recorded.c.recorded_time, recorded.c.since
            )
            .join(recorded, recorded.c.page_id == page_address.c.page_id)
            .order_by(recorded.c.recorded_time, recorded.c.page_id, recorded.c.observed_from)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(found)).all()
        return tuple(
            PageNewsPlace(
                address=address_of(row),
                observed_from=row.observed_from,
                place=NewsPlace(recorded_time=row.recorded_time, page_id=row.page_id),
                since=row.since,
            )
            for row in rows
        )

    async def newest_news(self, organisation_id: str) -> datetime | None:
        async with self._database.reading() as connection:
            newest = [
                (await connection.execute(_newest(organisation_id, kind))).scalar_one_or_none()
                for kind in (news, settled_news)
            ]
        return max((time for time in newest if time is not None), default=None)

    async def moved_since(
        self, organisation_id: str, since: datetime, *, limit: int
    ) -> Sequence[PageAddress]:
        found: dict[str, PageAddress] = {}
        named: dict[str, Any] = {"of_organisation": organisation_id, "since": since}
        named |= {"until": LATEST, "of_page": "", "at_most": RUNS_AT_ONCE}
        async with self._database.reading() as connection:
            while True:
                rows = (await connection.execute(_MOVED, named)).all()
                for row in rows:
                    if row.page_id is not None and row.page_id not in found:
                        found[row.page_id] = address_of(row)
                if len(rows) < RUNS_AT_ONCE or len(found) >= limit:
                    return tuple(found.values())[:limit]
                named |= {"until": rows[-1].first_observed, "of_page": rows[-1].moved_page}
                await asyncio.sleep(0)

    async def urls_of(self, page_ids: Sequence[PageId]) -> Mapping[PageId, str]:
        async with self._database.reading() as connection:
            rows = await rows_in_batches(connection, _URLS, "of_pages", page_ids)
        return {PageId(row.page_id): row.canonical_url for row in rows}


# Building a statement costs more than running it.
_URLS = select(page_address.c.page_id, page_address.c.canonical_url).where(
    page_address.c.page_id.in_(bindparam("of_pages", expanding=True)),
    page_address.c.access_context == PUBLIC,
)


# Runs from the newest on; a page's newest one is where it is met first.
_runs = (
    select(run.c.page_id, run.c.first_observed)
    .where(
        run.c.first_observed > bindparam("since", type_=UtcDateTime),
        run.c.first_observed <= bindparam("until", type_=UtcDateTime),
        or_(
            run.c.first_observed < bindparam("until", type_=UtcDateTime),
            run.c.page_id > bindparam("of_page"),
        ),
    )
    .order_by(run.c.first_observed.desc(), run.c.page_id)
    .limit(bindparam("at_most"))
    .subquery()
)
_MOVED = (
    select(page_address, _runs.c.page_id.label("moved_page"), _runs.c.first_observed)
    .select_from(_runs)
    .outerjoin(
        page_address,
        and_(
            page_address.c.page_id == _runs.c.page_id,
            page_address.c.organisation_id == bindparam("of_organisation"),
        ),
    )
    .order_by(_runs.c.first_observed.desc(), _runs.c.page_id)
)


@dataclass(frozen=True, slots=True)
class Noting:
    """The newest address of a page, and the run that is news, where one is."""

    address: PageAddress
    opened: OpenedRun | None


async def note_addresses(connection: Connection, notings: Sequence[Noting]) -> None:
    """Writes addresses of different pages, and runs that are news.

    Noted again, a run stays where it was among the news.
    """
    if not notings:
        return
    addresses = [
        {
            "page_id": address.page_id,
            "organisation_id": address.organisation_id,
            "access_context": address.access_context,
            "canonical_url": address.canonical_url,
            "host": host_of(address.canonical_url),
            "news": 1,
            "learned": False,
        }
        for address in (noting.address for noting in notings)
    ]
    opened = [
        {
            "page_id": noting.address.page_id,
            "observed_from": noting.opened.observed_from,
            "recorded_time": noting.opened.recorded_time,
        }
        for noting in notings
        if noting.opened is not None
    ]
    await connection.execute(_noting(connection.dialect.name), addresses)
    await insert_ignore_many(connection, news, opened)


def _recorded_after(
    organisation_id: str, kind: Table, after: NewsPlace, until: NewsPlace, page_id: PageId | None
) -> Select[Any]:
    """Selects news of a kind behind a place and up to another one, in order."""
    later = kind.c.recorded_time > after.recorded_time
    if after.page_id:
        same = kind.c.recorded_time == after.recorded_time
        later = later | (same & (kind.c.page_id > after.page_id))
    up_to = kind.c.recorded_time <= until.recorded_time
    if until.page_id:
        earlier = kind.c.recorded_time < until.recorded_time
        up_to = up_to & (earlier | (kind.c.page_id <= until.page_id))
    since = kind.c.since if "since" in kind.c else null()
    found = (
        select(
            kind.c.page_id,
            kind.c.observed_from,
            kind.c.recorded_time,
            cast(since, UtcDateTime).label("since"),
        )
        .join(page_address, kind.c.page_id == page_address.c.page_id)
        .where(page_address.c.organisation_id == organisation_id)
        .where(later, up_to)
        .order_by(kind.c.recorded_time, kind.c.page_id, kind.c.observed_from)
    )
    return found if page_id is None else found.where(kind.c.page_id == page_id)


def _newest(organisation_id: str, kind: Table) -> Select[Any]:
    return (
        select(kind.c.recorded_time)
        .join(page_address, kind.c.page_id == page_address.c.page_id)
        .where(page_address.c.organisation_id == organisation_id)
        .order_by(kind.c.recorded_time.desc())
        .limit(1)
    )


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
