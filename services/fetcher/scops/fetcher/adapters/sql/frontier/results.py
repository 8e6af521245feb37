"""Results of fetches in SQL: the page, the fetch, its event and the host in one transaction."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.common.contract.ids import PageId
from scops.common.contract.messages.crawl import (
    FetchFailed,
    GoneReason,
    PageFetched,
    PageGone,
)
from scops.common.contract.messages.types import BodyRef
from scops.common.observe.trail import following
from scops.fetcher.adapters.sql.discovery.links import PageLinks, give_links, were_given
from scops.fetcher.adapters.sql.frontier.queue import release_host, wake_page
from scops.fetcher.adapters.sql.frontier.recording import (
    FIRST_ATTEMPT,
    SET_FETCH,
    LeasedFetch,
    open_leased,
    publish,
    send,
    update_page,
)
from scops.fetcher.adapters.sql.frontier.recovery import detach_rows
from scops.fetcher.adapters.sql.frontier.runs import lock_together, return_page
from scops.fetcher.adapters.sql.frontier.unmodified import (
    forgotten,
    is_forgotten,
    publish_unmodified,
)
from scops.fetcher.adapters.sql.ledger.admitting import admit_urls
from scops.fetcher.adapters.sql.ledger.jobs import CLOSE_OF_FETCH, COUNT_BYTES, close_rows
from scops.fetcher.adapters.sql.pages.pages import (
    NO_VALIDATORS,
    PageEntry,
    minted_pages,
    page_at,
    redirect_aliases,
    rename_page,
)
from scops.fetcher.adapters.sql.pages.twins import twin_of
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import job_page
from scops.fetcher.fetch.redirects import new_address
from scops.fetcher.fetch.sameness import content_key
from scops.fetcher.frontier.leases import PageLease, Release
from scops.fetcher.frontier.outcomes import MOVED, SAME_CONTENT, Ending, Outcome
from scops.fetcher.ports.frontier import Failure, KeptBody, MovedAway, PageResult, SeenAgain
from scops.fetcher.ports.page_source import Fetched, Unmodified

SET_ROWS = update(job_page).where(job_page.c.fetch_id == bindparam("of_fetch"))
OPEN_ROWS = (
    select(job_page.c.job_id, job_page.c.depth)
    .where(job_page.c.fetch_id == bindparam("of_fetch"), job_page.c.state == "open")
    .order_by(job_page.c.job_id)
)


class _LinksWanted(Exception):
    """A job waits for links that were not brought along: nothing is recorded."""


class SqlResults(SqlState):
    """A `Results`; see there for the contract."""

    async def record(
        self,
        results: Sequence[PageResult],
        *,
        rest: Sequence[PageLease] = (),
        release: Release | None,
        now: datetime,
    ) -> bool:
        leases = [*(result.lease for result in results), *rest]
        with suppress(_LinksWanted):
            async with self._write(now) as tx:
                # One result locks what is its own.
                if rest or len(results) > 1:
                    await lock_together(tx, leases)
                for result in results:
                    opened = await open_leased(tx, result.lease, time=result.time)
                    if opened is not None:
                        with following(result.trail):
                            await _record(opened, result.what)
                for lease in rest:
                    await return_page(tx, lease)
                if release is not None:
                    release_host(tx, leases[0].host, release)
            return True
        return False


async def _record(
    opened: LeasedFetch, what: KeptBody | SeenAgain | GoneReason | MovedAway | Failure
) -> None:
    if isinstance(what, KeptBody):
        await _record_body(opened, what.answer, what.body)
    elif isinstance(what, SeenAgain):
        await _record_unmodified(opened, what.answer, what.urls, what.feed_urls)
    elif isinstance(what, GoneReason):
        await _publish_gone(opened, what)
    elif isinstance(what, MovedAway):
        await _move(opened, what.target_url)
    else:
        await _record_failure(opened, what)


async def _record_body(opened: LeasedFetch, answer: Fetched, body: BodyRef) -> None:
    counted = {"of_fetch": opened.lease.fetch_id, "added": len(answer.body)}
    await opened.tx.execute(COUNT_BYTES, **counted)
    url, owner = await _settle_address(opened, new_address(answer))
    if not await _joined(opened, owner, key=content_key(answer, body.digest)):
        await _publish_body(opened, answer, body, url)


async def _record_unmodified(
    opened: LeasedFetch, answer: Unmodified, urls: Sequence[str] | None, feed_urls: Sequence[str]
) -> None:
    if is_forgotten(opened):
        await _record_failure(opened, forgotten(opened.tx.now))
        return
    url, owner = await _settle_address(opened, new_address(answer))
    key, text_digest = opened.page.content_key, opened.page.text_digest
    if await _joined(opened, owner, key=key, text_digest=text_digest):
        return
    await publish_unmodified(opened, answer, url)
    tx, lease = opened.tx, opened.lease
    assert lease.validators is not None, "only a conditional request is answered 304"
    digest = lease.validators.links.digest
    if urls is not None:
        links = PageLinks(fetch_id=lease.fetch_id, urls=urls, feed_urls=feed_urls, digest=digest)
        await give_links(tx, [links])
    elif not await were_given(tx, lease.fetch_id, digest=digest):
        raise _LinksWanted


async def _settle_address(opened: LeasedFetch, moved_to: str) -> tuple[str, PageEntry | None]:
    """Applies a permanent redirect: returns the page's URL, and the page that owns it if another.

    A URL that nobody knew, or that named this page before, becomes its canonical one.
    """
    row = opened.page
    if not moved_to or moved_to == row.canonical_url:
        return str(row.canonical_url), None
    if await rename_page(opened.tx, row, moved_to):
        return moved_to, None
    return str(row.canonical_url), await page_at(opened.tx, row, moved_to)


async def _publish_body(opened: LeasedFetch, answer: Fetched, body: BodyRef, url: str) -> None:
    lease = opened.lease
    event = PageFetched(
        page_id=lease.page_id,
        fetch_id=lease.fetch_id,
        access_context=lease.access_context,
        url=answer.final_url,
        canonical_url=url,
        observed_time=opened.observed_time,
        body=body,
        last_modified_time=answer.last_modified_time,
        attempt=FIRST_ATTEMPT,
        content_language=answer.content_language,
        robots_tag=answer.robots_tag,
        sitemap_time=opened.page.sitemap_time,
        came_by=answer.came_by,
    )
    await update_page(opened, status="fetched")
    await publish(
        opened,
        event,
        kind="fetched",
        etag=answer.etag,
        last_modified=answer.last_modified,
        validated_url=answer.final_url,
        content_key=content_key(answer, body.digest),
    )


async def _joined(
    opened: LeasedFetch, owner: PageEntry | None, *, key: str, text_digest: str = ""
) -> bool:
    """Closes a page whose URL, or whose content, is another page's; returns whether it is.

    Args:
        owner: the page that its new address names, if there is one.
    """
    other, why = owner, MOVED
    if other is None:
        tx, scopes = opened.tx, opened.lease.scopes
        other = await twin_of(tx, opened.page, scopes, key=key, text_digest=text_digest)
        why = SAME_CONTENT
    if other is not None:
        await _join(opened, other, why)
    return other is not None


async def _publish_gone(
    opened: LeasedFetch, reason: GoneReason, *, moved_to: str = "", joined: str = ""
) -> None:
    """Closes a page.

    Args:
        moved_to: the page that its URL names from now on.
        joined: why it does; empty where there is none.
    """
    lease = opened.lease
    event = PageGone(
        page_id=lease.page_id,
        fetch_id=lease.fetch_id,
        reason=reason,
        moved_to=PageId(moved_to),
        observed_time=opened.observed_time,
        access_context=lease.access_context,
        canonical_url=opened.page.canonical_url,
        attempt=FIRST_ATTEMPT,
    )
    kind = Outcome.JOINED if joined else Outcome.GONE
    why = joined or reason.value
    await update_page(opened, status=kind.value, last_reason=why, **NO_VALIDATORS)
    await publish(opened, event, kind=kind.value, reason=why)
    # There is nothing to take links from.
    await opened.tx.execute(SET_ROWS, of_fetch=lease.fetch_id, links_taken=True)


async def _move(opened: LeasedFetch, target_url: str) -> None:
    owner = await page_at(opened.tx, opened.page, target_url)
    if owner is None:
        owner = (await minted_pages(opened.tx, opened.page, [target_url]))[target_url]
    await _join(opened, owner, MOVED)


async def _join(opened: LeasedFetch, owner: PageEntry, why: str) -> None:
    """Closes a page whose URL names another page from now on; the histories stay apart.

    Args:
        why: MOVED or SAME_CONTENT.
    """
    if owner.page_id == opened.page.page_id:
        # A name of this page leads to it again: hosts that redirect to each other.
        loop = Failure(
            reason="REDIRECT_LOOP",
            detail="The page redirects to a URL that redirects back. The sites need repair.",
            decision=Ending(outcome=Outcome.DEAD, reason="redirect_loop"),
        )
        await _record_failure(opened, loop)
        return
    await _hand_over(opened, owner.canonical_url)
    await redirect_aliases(opened.tx, page_id=opened.page.page_id, target_id=owner.page_id)
    await _publish_gone(opened, GoneReason.MOVED, moved_to=owner.page_id, joined=why)


async def _hand_over(opened: LeasedFetch, target_url: str) -> None:
    """Lets the jobs that wait for this fetch take up a redirect's target."""
    for row in await opened.tx.all(OPEN_ROWS, of_fetch=opened.lease.fetch_id):
        await admit_urls(opened.tx, row.job_id, [target_url], depth=row.depth + 1)


async def _record_failure(opened: LeasedFetch, failure: Failure) -> None:
    lease, tx = opened.lease, opened.tx
    await tx.execute(
        SET_FETCH, of_fetch=lease.fetch_id, state="closed", reason=failure.reason.lower()
    )
    event = FetchFailed(
        page_id=lease.page_id,
        fetch_id=lease.fetch_id,
        reason=failure.reason,
        detail=failure.detail,
        failed_time=tx.now,
    )
    await send(opened, event)
    if isinstance(failure.decision, Ending):
        await _end_failed(opened, failure, failure.decision)
    else:
        await _retry_failed(opened, failure, failure.decision.due_time)


async def _end_failed(opened: LeasedFetch, failure: Failure, ending: Ending) -> None:
    values = {"awaiting_fetch_id": None, "attempts": 0, **NO_VALIDATORS}
    await update_page(opened, observed=False, status="failed", last_reason=ending.reason, **values)
    if failure.target_url:
        await _hand_over(opened, failure.target_url)
        noted = {"leads_to": failure.target_url}
        await opened.tx.execute(SET_ROWS, of_fetch=opened.lease.fetch_id, **noted)
    await close_rows(opened.tx, CLOSE_OF_FETCH, ending, of_fetch=opened.lease.fetch_id)
    await wake_page(opened.tx, opened.page)


async def _retry_failed(opened: LeasedFetch, failure: Failure, due_time: datetime) -> None:
    values: dict[str, Any] = {
        "awaiting_fetch_id": None,
        "attempts": opened.page.attempts + int(failure.counts),
    }
    if failure.forget_validators:
        values |= NO_VALIDATORS
    await update_page(opened, observed=False, last_reason=failure.reason.lower(), **values)
    await detach_rows(opened.tx, opened.lease.fetch_id)
    await wake_page(opened.tx, opened.page, due_time=due_time)
