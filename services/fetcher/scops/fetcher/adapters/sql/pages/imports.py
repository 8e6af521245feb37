"""Observations of another installation in SQL: fetches whose results are known already."""

from dataclasses import dataclass
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
from scops.common.db.upsert import insert_ignore
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql.pages.pages import (
    known_pages,
    mint_joined,
    minted_pages,
    rename_page,
)
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import alias, fetch, page
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.outcomes import IMPORTED, Outcome

FIRST_ATTEMPT = 1
PAGE = select(page).where(page.c.page_id == bindparam("of_page")).with_for_update()
FETCH = select(fetch.c.fetch_id).where(fetch.c.fetch_id == bindparam("of_fetch"))
SET_PAGE = update(page).where(page.c.page_id == bindparam("of_page"))
Event = PageFetched | PageUnmodified | PageGone


@dataclass(frozen=True, slots=True)
class _Owner:
    """Whose pages they are, as `pages` takes it."""

    organisation_id: str
    access_context: str = PUBLIC


class SqlImports(SqlState):
    """An `Imports`; see there for the contract."""

    async def take(
        self, seen: ImportedObservation, *, organisation_id: str, now: datetime
    ) -> ImportOutcome:
        async with self._write(now) as tx:
            row = await _page_of(tx, seen, _Owner(organisation_id))
            if row is None:
                return ImportOutcome(state=ImportState.TAKEN)
            return ImportOutcome(page_id=row.page_id, state=await _taken_in(tx, seen, row))


async def _page_of(tx: Transaction, seen: ImportedObservation, owner: Any) -> Row | None:
    """Returns the page that is meant, minted where it is new; None where a URL is another's.

    The id of a page follows from the URL that it was met at first, so that one of its URLs
    proves what it was called elsewhere. A page that was joined to another has its id and its
    history alone: the URLs are the other's.
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
        if name in known and known[name].page_id != ids_by_name[first]:
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


async def _taken_in(tx: Transaction, seen: ImportedObservation, row: Row) -> ImportState:
    event = _event(seen, row)
    if await tx.first(FETCH, of_fetch=event.fetch_id) is not None:
        return ImportState.KNOWN
    if row.awaiting_fetch_id is not None:
        return ImportState.BUSY
    last = row.last_observed_time
    is_newest = last is None or seen.observed_time > last
    kind = _kind(event, is_newest=is_newest, joined=seen.joined)
    await insert_ignore(tx.connection, fetch, known_fetch(tx, event, row, kind, Lane.BULK))
    values: dict[str, Any] = {"awaiting_fetch_id": event.fetch_id}
    if is_newest:
        values |= {
            "status": kind if isinstance(event, PageGone) else "fetched",
            "last_reason": event.reason.value if isinstance(event, PageGone) else "",
            "last_fetch_id": event.fetch_id,
            "last_fetch_time": seen.observed_time,
            "last_observed_time": seen.observed_time,
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


def _event(seen: ImportedObservation, row: Row) -> Event:
    named: dict[str, Any] = {
        "page_id": PageId(row.page_id),
        "access_context": row.access_context,
        "canonical_url": seen.canonical_url,
        "observed_time": seen.observed_time,
        "attempt": FIRST_ATTEMPT,
    }
    if seen.body is not None:
        return PageFetched(
            fetch_id=_fetch_id(row, seen.observed_time, "text"),
            url=seen.canonical_url,
            body=seen.body,
            imported=True,
            **named,
        )
    if seen.confirmed_time is not None:
        return PageUnmodified(
            fetch_id=_fetch_id(row, seen.observed_time, "unmodified"),
            confirmed_fetch_id=_fetch_id(row, seen.confirmed_time, "text"),
            **named,
        )
    fetch_id = _fetch_id(row, seen.observed_time, "gone")
    return PageGone(fetch_id=fetch_id, reason=seen.gone_reason, **named)


def _fetch_id(row: Row, at: datetime, what: str) -> FetchId:
    return FetchId(ids.derived_id("import", row.page_id, ids.instant_text(at), what))


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
