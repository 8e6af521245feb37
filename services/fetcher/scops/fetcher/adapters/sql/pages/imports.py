"""Observations of another installation in SQL: fetches whose results are known already."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.common.contract import ids, wire
from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.crawl import (
    GoneReason,
    ImportedObservation,
    ImportOutcome,
    ImportState,
    PageFetched,
    PageGone,
    PageUnmodified,
)
from scops.common.contract.service_table import Lane
from scops.common.db.connection import Connection
from scops.common.db.upsert import insert_ignore
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql.pages.pages import (
    PageOwner,
    known_pages,
    mint_joined,
    minted_pages,
    page_at,
    rename_page,
)
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import alias, fetch, page
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.outcomes import IMPORTED, Outcome

FIRST_ATTEMPT = 1
# What brought a body: another installation's reading, or a server.
TEXT, SERVED = "text", "served"
PAGE = select(page).where(page.c.page_id == bindparam("of_page")).with_for_update()
FETCH = select(fetch.c.fetch_id).where(fetch.c.fetch_id == bindparam("of_fetch"))
KNOWN_FETCH = select(
    fetch.c.state, fetch.c.outcome, fetch.c.reason, fetch.c.event_type, fetch.c.event_data
).where(fetch.c.fetch_id == bindparam("of_fetch"))
NAMED_PAGE = (
    select(page.c.page_id, page.c.canonical_url)
    .join(alias, alias.c.page_id == page.c.page_id)
    .where(
        alias.c.organisation_id == bindparam("of_organisation"),
        alias.c.access_context == bindparam("of_context"),
        alias.c.url == bindparam("of_url"),
    )
)
SET_PAGE = update(page).where(page.c.page_id == bindparam("of_page"))
Event = PageFetched | PageUnmodified | PageGone


class SqlImports(SqlState):
    """An `Imports`; see there for the contract."""

    async def take(
        self, seen: ImportedObservation, *, organisation_id: str, now: datetime
    ) -> ImportOutcome:
        owner = PageOwner(organisation_id, PUBLIC)
        if seen.asks:
            async with self._database.reading() as connection:
                return await _asked(connection, seen, owner)
        async with self._write(now) as tx:
            confirmed = await _confirmed(tx, seen, owner)
            if confirmed is None and seen.confirmed_url:
                return ImportOutcome(state=ImportState.MISSING)
            row = await _page_of(tx, seen, owner)
            if row is None:
                return ImportOutcome(state=ImportState.TAKEN)
            state = await _taken_in(tx, _event(seen, row, confirmed), row, joined=seen.joined)
            return ImportOutcome(page_id=row.page_id, state=state)


async def _asked(
    connection: Connection, seen: ImportedObservation, owner: PageOwner
) -> ImportOutcome:
    """Returns what became of an observation; nothing of it is taken in."""
    named = {
        "of_organisation": owner.organisation_id,
        "of_context": owner.access_context,
        "of_url": seen.canonical_url,
    }
    named_page = (await connection.execute(NAMED_PAGE, named)).first()
    if named_page is None:
        return ImportOutcome(state=ImportState.NEW)
    page_id = PageId(named_page.page_id)
    if seen.gone_reason is GoneReason.MOVED and named_page.canonical_url != seen.canonical_url:
        # Its URL is another name of the page that it leads to.
        known = Outcome.JOINED.value
        return ImportOutcome(page_id=page_id, state=ImportState.KNOWN, outcome=known)
    found = (await connection.execute(KNOWN_FETCH, {"of_fetch": _fetch_id(page_id, seen)})).first()
    if found is None:
        return ImportOutcome(page_id=page_id, state=ImportState.NEW)
    if not found.outcome:
        return ImportOutcome(page_id=page_id, state=ImportState.ACCEPTED)
    return ImportOutcome(
        page_id=page_id, state=ImportState.KNOWN, outcome=found.outcome, reason=found.reason
    )


async def _confirmed(tx: Transaction, seen: ImportedObservation, owner: Any) -> PageFetched | None:
    """Returns the fetch that was imported before and brought what is confirmed."""
    if not seen.confirmed_url or seen.confirmed_time is None:
        return None
    entry = await page_at(tx, owner, seen.confirmed_url)
    if entry is None:
        return None
    named = _derived_id(PageId(entry.page_id), seen.confirmed_time, SERVED)
    row = await tx.first(KNOWN_FETCH, of_fetch=named)
    if row is None or row.event_type != PageFetched.__name__:
        return None
    return wire.decode(PageFetched, row.event_data)


async def _page_of(tx: Transaction, seen: ImportedObservation, owner: Any) -> Row | None:
    """Returns the page that is meant, minted where it is new; None where a URL is another's.

    The id of a page follows from the URL that it was met at first, so that one of its URLs
    proves what it was called elsewhere. What was called nothing is whatever its URL names.
    A page that was joined to another has its id and its history alone: the URLs are the other's.
    """
    names = tuple(dict.fromkeys((seen.canonical_url, *seen.aliases)))
    ids_by_name = {
        name: ids.page_id(owner.organisation_id, owner.access_context, name) for name in names
    }
    proven = [name for name in names if ids_by_name[name] == seen.page_id]
    first = (proven or names)[0]
    if seen.joined:
        await mint_joined(tx, owner, seen.canonical_url, page_id=ids_by_name[first])
        return await tx.first(PAGE, of_page=ids_by_name[first])
    known = await known_pages(tx, owner, names)
    for name in (first, seen.canonical_url):
        if seen.page_id and name in known and known[name].page_id != ids_by_name[first]:
            return None
    entry = (await minted_pages(tx, owner, [first]))[first]
    row = await tx.first(PAGE, of_page=entry.page_id)
    assert row is not None, "it was minted in this transaction"
    if row.last_observed_time is None:
        await rename_page(tx, row, seen.canonical_url)
    for name in names:
        await insert_ignore(
            tx.connection,
            alias,
            {
                "organisation_id": owner.organisation_id,
                "access_context": owner.access_context,
                "url": name,
                "page_id": row.page_id,
            },
        )
    return row


async def _taken_in(tx: Transaction, event: Event, row: Row, *, joined: bool) -> ImportState:
    if await tx.first(FETCH, of_fetch=event.fetch_id) is not None:
        return ImportState.KNOWN
    if row.awaiting_fetch_id is not None:
        return ImportState.BUSY
    last = row.last_observed_time
    is_newest = last is None or event.observed_time > last
    kind = _kind(event, is_newest=is_newest, joined=joined)
    await insert_ignore(tx.connection, fetch, known_fetch(tx, event, row, kind, Lane.BULK))
    values: dict[str, Any] = {"awaiting_fetch_id": event.fetch_id}
    if is_newest:
        values |= {
            "status": kind if isinstance(event, PageGone) else "fetched",
            "last_reason": event.reason.value if isinstance(event, PageGone) else "",
            "last_fetch_id": event.fetch_id,
            "last_fetch_time": event.observed_time,
            "last_observed_time": event.observed_time,
        }
    await tx.execute(SET_PAGE, of_page=row.page_id, **values)
    await tx.send(
        event,
        cause=event.fetch_id,
        ordinal=0,
        organisation_id=row.organisation_id,
        lane=Lane.BULK,
    )
    return ImportState.ACCEPTED


def _kind(event: Event, *, is_newest: bool, joined: bool) -> str:
    """Returns what the fetch counts as; that a page was gone once says nothing of it now."""
    if isinstance(event, PageGone) and is_newest:
        is_moved = joined and event.reason is GoneReason.MOVED
        return Outcome.JOINED.value if is_moved else Outcome.GONE.value
    return IMPORTED


def _event(seen: ImportedObservation, row: Row, confirmed: PageFetched | None) -> Event:
    """Returns the event of a fetch that showed what was observed.

    Args:
        confirmed: the fetch that brought the body which was seen again; None for the others. Of
            another page it is a body of this one.
    """
    page_id = PageId(row.page_id)
    named: dict[str, Any] = {
        "page_id": page_id,
        "fetch_id": _fetch_id(page_id, seen),
        "access_context": row.access_context,
        # What was called nothing may be known by another URL already.
        "canonical_url": seen.canonical_url if seen.page_id else row.canonical_url,
        "observed_time": seen.observed_time,
        "attempt": FIRST_ATTEMPT,
    }
    if confirmed is not None and confirmed.page_id == page_id:
        return PageUnmodified(confirmed_fetch_id=confirmed.fetch_id, **named)
    said = seen if confirmed is None else confirmed
    body = said.body
    if body is not None:
        return PageFetched(
            url=seen.canonical_url,
            body=body,
            imported=confirmed is None and not seen.as_served,
            content_language=said.content_language,
            robots_tag=said.robots_tag,
            last_modified_time=said.last_modified_time,
            came_by=seen.came_by,
            **named,
        )
    if seen.confirmed_time is not None:
        confirmed_fetch_id = _derived_id(page_id, seen.confirmed_time, TEXT)
        return PageUnmodified(confirmed_fetch_id=confirmed_fetch_id, **named)
    return PageGone(reason=seen.gone_reason, **named)


def _fetch_id(page_id: PageId, seen: ImportedObservation) -> FetchId:
    """Returns the id of a fetch, which follows from what kind of thing was seen when."""
    if seen.gone_reason is not GoneReason.UNSPECIFIED:
        what = "gone"
    elif seen.confirmed_url not in ("", seen.canonical_url):
        # The body of another page is one of this page.
        what = SERVED
    elif seen.confirmed_time is not None:
        what = "unmodified"
    else:
        what = SERVED if seen.as_served else TEXT
    return _derived_id(page_id, seen.observed_time, what)


def _derived_id(page_id: PageId, at: datetime, what: str) -> FetchId:
    """Returns the id of an imported fetch."""
    return FetchId(ids.derived_id("import", page_id, ids.instant_text(at), what))


def known_fetch(tx: Transaction, event: Event, row: Row, kind: str, lane: Lane) -> dict[str, Any]:
    """Returns the row of a fetch whose result somebody else brought."""
    return {
        "fetch_id": event.fetch_id,
        "page_id": row.page_id,
        "organisation_id": row.organisation_id,
        "lane": lane.value,
        "leased_time": tx.now,
        "state": "published",
        "kind": kind,
        "observed_time": event.observed_time,
        "published_time": tx.now,
        "attempt": FIRST_ATTEMPT,
        "event_type": type(event).__name__,
        "event_data": wire.encode(event),
        "etag": "",
        "last_modified": "",
        "validated_url": "",
        "content_key": "",
        "pipeline_version": "",
        "links_size": 0,
        "outcome": "",
        "reason": event.reason.value if isinstance(event, PageGone) else "",
    }
