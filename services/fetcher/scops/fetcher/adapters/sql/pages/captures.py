"""Captured pages in SQL: fetches whose bodies somebody else brought."""

from datetime import datetime

from sqlalchemy import bindparam, select, update

from scops.common.contract import ids
from scops.common.contract.errors import NotFound
from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.crawl import (
    CapturePageRequest,
    CapturePageResponse,
    GoneReason,
    ImportState,
    PageFetched,
    PageGone,
)
from scops.common.contract.service_table import Lane
from scops.common.db.upsert import insert_ignore
from scops.common.scope.contexts import PUBLIC
from scops.fetcher.adapters.sql.pages.imports import FETCH, PAGE, SET_PAGE, known_fetch
from scops.fetcher.adapters.sql.pages.pages import (
    NO_VALIDATORS,
    PageOwner,
    known_pages,
    minted_pages,
)
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import alias, fetch, page
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.outcomes import CAPTURED, SAME_CONTENT, Outcome

FIRST_ATTEMPT = 1
GONE = Outcome.GONE.value
PUBLIC_PAGE = (
    select(page.c.page_id, page.c.text_digest)
    .join(alias, alias.c.page_id == page.c.page_id)
    .where(
        alias.c.organisation_id == bindparam("of_organisation"),
        alias.c.access_context == PUBLIC,
        alias.c.url == bindparam("of_url"),
        # Confirmed by the index, and not gone since.
        page.c.validator_fetch_id.is_not(None),
    )
)
AWAIT = update(page).where(
    page.c.page_id == bindparam("of_page"), page.c.awaiting_fetch_id.is_(None)
)


class SqlCaptures(SqlState):
    """A `Captures`; see there for the contract."""

    async def take(
        self, capture: CapturePageRequest, *, organisation_id: str, now: datetime
    ) -> CapturePageResponse:
        owner = PageOwner(organisation_id, capture.access_context)
        async with self._write(now) as tx:
            url = capture.canonical_url
            if capture.body is None and url not in await known_pages(tx, owner, [url]):
                raise NotFound(
                    f"{url} cannot be gone: it was never captured for this scope. List the pages "
                    "of the scope to see what there is.",
                    reason="PAGE_NOT_FOUND",
                )
            entry = (await minted_pages(tx, owner, [url]))[url]
            row = await tx.first(PAGE, of_page=entry.page_id)
            assert row is not None, "it was minted in this transaction"
            state = await _taken_in(tx, capture, row)
            return CapturePageResponse(page_id=PageId(row.page_id), state=state)


async def _taken_in(tx: Transaction, capture: CapturePageRequest, row: Row) -> ImportState:
    # Named by what it says too: two captures of one instant are two.
    said = capture.body.digest if capture.body is not None else GONE
    seen = (ids.instant_text(capture.observed_time), said)
    fetch_id = FetchId(ids.derived_id("capture", row.page_id, *seen))
    is_known = await tx.first(FETCH, of_fetch=fetch_id) is not None
    if is_known or (capture.body is None and row.status == GONE):
        return ImportState.KNOWN
    if row.awaiting_fetch_id is not None:
        return ImportState.BUSY
    event = await _event(tx, capture, row, fetch_id)
    last = row.last_observed_time
    is_newest = last is None or capture.observed_time > last
    is_closing = isinstance(event, PageGone) and is_newest
    values = known_fetch(tx, event, row, GONE if is_closing else CAPTURED, Lane.NOW)
    if capture.body is not None:
        values["content_key"] = capture.body.digest
    await insert_ignore(tx.connection, fetch, values)
    await tx.execute(AWAIT, of_page=row.page_id, awaiting_fetch_id=fetch_id)
    if is_newest:
        await tx.execute(SET_PAGE, of_page=row.page_id, **_newest_values(event, capture))
    await tx.send(
        event, cause=fetch_id, ordinal=0, organisation_id=row.organisation_id, lane=Lane.NOW
    )
    return ImportState.ACCEPTED


async def _event(
    tx: Transaction, capture: CapturePageRequest, row: Row, fetch_id: FetchId
) -> PageFetched | PageGone:
    if capture.body is None:
        return PageGone(
            page_id=PageId(row.page_id),
            fetch_id=fetch_id,
            reason=GoneReason.GONE,
            observed_time=capture.observed_time,
            access_context=row.access_context,
            canonical_url=row.canonical_url,
            attempt=FIRST_ATTEMPT,
        )
    public = await tx.first(
        PUBLIC_PAGE, of_organisation=row.organisation_id, of_url=row.canonical_url
    )
    return PageFetched(
        page_id=PageId(row.page_id),
        fetch_id=fetch_id,
        access_context=row.access_context,
        url=row.canonical_url,
        canonical_url=row.canonical_url,
        observed_time=capture.observed_time,
        body=capture.body,
        last_modified_time=capture.last_modified_time,
        attempt=FIRST_ATTEMPT,
        captured_by=capture.captured_by,
        public_text_digest=public.text_digest if public is not None else "",
    )


def _newest_values(event: PageFetched | PageGone, capture: CapturePageRequest) -> dict[str, object]:
    is_gone = isinstance(event, PageGone)
    return {
        "status": GONE if is_gone else "fetched",
        "last_reason": GoneReason.GONE.value if is_gone else "",
        "last_fetch_id": event.fetch_id,
        "last_fetch_time": event.observed_time,
        "last_observed_time": event.observed_time,
        "captured_by": capture.captured_by,
    }


async def is_indexed(tx: Transaction, page_id: str) -> bool:
    """Returns whether the index has confirmed what a page showed last."""
    row = await tx.first(PAGE, of_page=page_id)
    return row is not None and row.validator_fetch_id is not None


async def close_repeated(tx: Transaction, fetch_row: Row, *, stood: bool) -> None:
    """Closes a page whose newest capture says what is fetched of its URL: that one speaks for it.

    Args:
        stood: whether an earlier capture of the page is in the index; else there is nothing to
            close.
    """
    row = await tx.first(PAGE, of_page=fetch_row.page_id)
    if row is None or row.last_fetch_id != fetch_row.fetch_id:
        return
    await tx.execute(
        SET_PAGE,
        of_page=row.page_id,
        status=Outcome.JOINED.value,
        last_reason=SAME_CONTENT,
        **NO_VALIDATORS,
    )
    if not stood or row.awaiting_fetch_id is not None:
        return
    public = await tx.first(
        PUBLIC_PAGE, of_organisation=row.organisation_id, of_url=row.canonical_url
    )
    event = PageGone(
        page_id=PageId(row.page_id),
        fetch_id=FetchId(ids.derived_id("repeated", fetch_row.fetch_id)),
        reason=GoneReason.MOVED,
        moved_to=PageId(public.page_id if public is not None else ""),
        observed_time=fetch_row.observed_time,
        access_context=row.access_context,
        canonical_url=row.canonical_url,
        attempt=FIRST_ATTEMPT,
    )
    values = known_fetch(tx, event, row, Outcome.JOINED.value, Lane.NOW)
    await insert_ignore(tx.connection, fetch, values)
    await tx.execute(AWAIT, of_page=row.page_id, awaiting_fetch_id=event.fetch_id)
    await tx.send(
        event, cause=event.fetch_id, ordinal=0, organisation_id=row.organisation_id, lane=Lane.NOW
    )
