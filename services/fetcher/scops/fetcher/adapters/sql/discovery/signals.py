"""Signals of change inside a transaction: what sitemaps and feeds say about pages."""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from typing import Any

from sqlalchemy import bindparam, select

from scops.common.db.upsert import insert_for
from scops.fetcher.adapters.sql.pages.pages import PageOwner, known_pages
from scops.fetcher.adapters.sql.tables import page, signal
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.discovery.sitemap import SignalKind, SitemapEntry

FUTURE_MAX = timedelta(days=1)
"""A time further ahead is an error, and would hide every later statement."""

SITEMAP_TIME = (
    select(signal.c.value_time)
    .where(signal.c.page_id == page.c.page_id, signal.c.kind == SignalKind.SITEMAP.value)
    .scalar_subquery()
    .label("sitemap_time")
)
"""What the newest sitemap says of a selected page; null where none does."""

STATED_DAY = timedelta(days=1)
"""What a time of change may be short of: many are dates alone."""

LAST_FETCHED = select(page.c.page_id, page.c.last_fetch_time).where(
    page.c.page_id.in_(bindparam("of_pages", expanding=True))
)

STATED = select(signal.c.page_id, signal.c.value_time).where(
    signal.c.kind == bindparam("of_kind"),
    signal.c.page_id.in_(bindparam("of_pages", expanding=True)),
)


async def changed_urls(
    tx: Transaction, owner: Row | PageOwner, entries: Sequence[SitemapEntry]
) -> tuple[str, ...]:
    """Returns the pages that may have changed since they were fetched, or never were.

    Those without a time of change are among them; one whose time is a day counts until its end.
    """
    pages = await known_pages(tx, owner, [entry.url for entry in entries])
    ids = sorted({one.page_id for one in pages.values()})
    rows = await tx.all(LAST_FETCHED, of_pages=ids) if ids else ()
    fetched = {row.page_id: row.last_fetch_time for row in rows}

    def may_have_changed(entry: SitemapEntry) -> bool:
        last = fetched.get(pages[entry.url].page_id) if entry.url in pages else None
        return (
            last is None or entry.last_modified is None or entry.last_modified + STATED_DAY > last
        )

    return tuple(dict.fromkeys(one.url for one in entries if may_have_changed(one)))


async def keep_signals(
    tx: Transaction, owner: Row | PageOwner, entries: Sequence[SitemapEntry], kind: SignalKind
) -> tuple[str, ...]:
    """Stores what is stated about known pages, where it is newer than what was stated before.

    Args:
        owner: a row with the organisation and access context, such as a job's.

    Returns:
        The pages about which there is news, by id in order; those of a first statement included.
    """
    stated = {
        entry.url: entry.last_modified
        for entry in entries
        if entry.last_modified is not None and entry.last_modified <= tx.now + FUTURE_MAX
    }
    if not stated:
        return ()
    pages = await known_pages(tx, owner, list(stated))
    newest = {pages[url].page_id: time for url, time in stated.items() if url in pages}
    if not newest:
        return ()
    rows = await tx.all(STATED, of_kind=kind.value, of_pages=sorted(newest))
    before = {row.page_id: row.value_time for row in rows}
    news = sorted(
        page_id
        for page_id, time in newest.items()
        if page_id not in before or time > before[page_id]
    )
    values = [
        {
            "page_id": page_id,
            "kind": kind.value,
            "value_time": newest[page_id],
            "seen_time": tx.now,
        }
        for page_id in news
    ]
    await tx.execute_many(_keeping(tx.connection.dialect.name), values)
    return tuple(news)


@cache
def _keeping(dialect_name: str) -> Any:
    statement = insert_for(dialect_name, signal)
    fresh = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=[signal.c.page_id, signal.c.kind],
        set_={"value_time": fresh.value_time, "seen_time": fresh.seen_time},
        # Two jobs may read the same sitemap at once.
        where=fresh.value_time > signal.c.value_time,
    )
