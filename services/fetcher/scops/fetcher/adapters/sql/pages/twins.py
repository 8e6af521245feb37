"""Pages that are another page under a second URL, inside a transaction."""

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from scops.common.contract.messages.types import ScopeRef
from scops.fetcher.adapters.sql.pages.pages import PageEntry, page_entry
from scops.fetcher.adapters.sql.tables import alias, page
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.discovery.twins import twin_urls

CANDIDATES = (
    select(
        alias.c.url,
        page.c.page_id,
        page.c.canonical_url,
        page.c.host_key,
        page.c.awaiting_fetch_id,
        page.c.content_key,
        page.c.text_digest,
    )
    .join(page, page.c.page_id == alias.c.page_id)
    .where(
        alias.c.organisation_id == bindparam("of_organisation"),
        alias.c.access_context == bindparam("of_context"),
        alias.c.url.in_(bindparam("of_urls", expanding=True)),
        # Confirmed by the index, and not gone since.
        page.c.validator_fetch_id.is_not(None),
    )
)


async def twin_of(
    tx: Transaction, row: Row, scopes: Sequence[ScopeRef], *, key: str, text_digest: str = ""
) -> PageEntry | None:
    """Returns the page that a page repeats under another URL; None where it stands for itself.

    Args:
        scopes: of those who wait for the page: each must hold the other one, or would lose it.
        key: the content of the page now, as `sameness.content_key` has it.
        text_digest: of its text now, empty where that is not known.
    """
    urls = twin_urls(row.canonical_url, stated_url=row.stated_url)
    rows = await tx.all(
        CANDIDATES,
        of_organisation=row.organisation_id,
        of_context=row.access_context,
        of_urls=urls,
    )
    by_url = {found.url: found for found in rows if found.page_id != row.page_id}
    for url in urls:
        found = by_url.get(url)
        if found is None or not _same(found, key, text_digest):
            continue
        if all(tx.rules.admits(scope, found.canonical_url) for scope in scopes):
            return page_entry(found)
    return None


def _same(found: Row, key: str, text_digest: str) -> bool:
    return bool(key and found.content_key == key) or bool(
        text_digest and found.text_digest == text_digest
    )
