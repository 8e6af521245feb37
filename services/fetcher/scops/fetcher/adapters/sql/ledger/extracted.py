"""What extractions say of their pages, kept inside a transaction with what it leads to."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, update

from scops.common.db.upsert import insert_ignore
from scops.fetcher.adapters.sql.discovery.links import PageLinks, give_links
from scops.fetcher.adapters.sql.ledger.together import PAGES
from scops.fetcher.adapters.sql.tables import fetch, page, pipeline
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.discovery.tracking import without_tracking
from scops.fetcher.frontier.outcomes import IMPORTED
from scops.fetcher.ports.ledger import ExtractedPage

KEEP_LINKS = update(fetch).where(fetch.c.fetch_id == bindparam("of_fetch"))
_OF_PAGE = page.c.page_id == bindparam("of_page")
SET_SAYING = update(page).where(_OF_PAGE, page.c.last_fetch_id == bindparam("of_fetch"))
SET_CONFIRMED = update(page).where(_OF_PAGE, page.c.validator_fetch_id == bindparam("of_fetch"))


async def take_extracted(tx: Transaction, extracted: Sequence[tuple[Row, ExtractedPage]]) -> None:
    """Stores links with their fetches, and with pages whose fetch is confirmed; then gives them.

    Args:
        extracted: of different pages, by fetches that are locked, as are the jobs that await them.
    """
    if not extracted:
        return
    await _keep_pipelines(tx, extracted)
    by_page = sorted(extracted, key=lambda one: str(one[0].page_id))
    await tx.execute_many(KEEP_LINKS, [_links(row, found) for row, found in extracted])
    if len(by_page) > 1:
        await tx.lock(PAGES, of_pages=[row.page_id for row, _ in by_page])
    await tx.execute_many(SET_SAYING, [_saying(row, found) for row, found in by_page])
    confirmed = [
        {"of_page": row.page_id, **_links(row, found)} for row, found in by_page if row.outcome
    ]
    await tx.execute_many(SET_CONFIRMED, confirmed)
    await give_links(tx, [_given(row, found) for row, found in extracted])


async def _keep_pipelines(tx: Transaction, extracted: Sequence[tuple[Row, ExtractedPage]]) -> None:
    # What another installation extracted with is not what bodies are read with here.
    versions = {found.pipeline_version for row, found in extracted if row.kind != IMPORTED}
    for version in sorted(versions):
        await insert_ignore(tx.connection, pipeline, {"version": version, "seen_time": tx.now})


def _links(row: Row, found: ExtractedPage) -> dict[str, Any]:
    return {
        "of_fetch": row.fetch_id,
        "links_digest": found.links.digest,
        "links_size": found.links.size,
        "pipeline_version": found.pipeline_version,
    }


def _saying(row: Row, found: ExtractedPage) -> dict[str, Any]:
    return {
        "of_page": row.page_id,
        "of_fetch": row.fetch_id,
        "stated_url": without_tracking(found.stated_url) if found.stated_url else "",
        "text_digest": "" if found.blocked_kind else found.text_digest,
    }


def _given(row: Row, found: ExtractedPage) -> PageLinks:
    # Of what is no page, links are left out that the same list may have for a page.
    return PageLinks(
        fetch_id=row.fetch_id,
        urls=found.urls,
        feed_urls=found.feed_urls,
        digest="" if found.blocked_kind else found.links.digest,
    )
