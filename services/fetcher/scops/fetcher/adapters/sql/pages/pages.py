"""Page identities and their aliases inside a transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, select, update

from scops.common.contract import ids
from scops.common.contract.messages.types import ScopeRef
from scops.common.db.batches import batches_in_turns
from scops.common.db.upsert import insert_ignore, insert_ignore_many
from scops.common.runtime.text_turns import in_turns
from scops.common.scope.urls import host_key, origin_of, route_of, schemeless
from scops.fetcher.adapters.sql.pages.known_urls import reversed_host
from scops.fetcher.adapters.sql.tables import alias, job_page, page
from scops.fetcher.adapters.sql.transaction import Row, Transaction

URLS_PER_STATEMENT = 200
MICROSECOND = timedelta(microseconds=1)
NO_VALIDATORS: dict[str, Any] = {
    "validator_fetch_id": None,
    "etag": "",
    "last_modified": "",
    "validated_url": "",
    "content_key": "",
    "pipeline_version": "",
    "links_digest": None,
    "links_size": 0,
}


OWNED = (
    (alias.c.organisation_id == bindparam("of_organisation"))
    & (alias.c.access_context == bindparam("of_context"))
    & alias.c.url.in_(bindparam("of_urls", expanding=True))
)
IDS_BY_URL = select(alias.c.url, alias.c.page_id).where(OWNED)
PAGES_BY_URL = (
    select(
        alias.c.url,
        page.c.page_id,
        page.c.canonical_url,
        page.c.host_key,
        page.c.awaiting_fetch_id,
    )
    .join(page, page.c.page_id == alias.c.page_id)
    .where(OWNED)
)
PAGES_OF_JOB = PAGES_BY_URL.add_columns(job_page.c.job_id.label("held_by")).outerjoin(
    job_page,
    (job_page.c.page_id == page.c.page_id) & (job_page.c.job_id == bindparam("of_job")),
)


@dataclass(frozen=True, slots=True)
class PageOwner:
    """Whose pages they are."""

    organisation_id: str
    access_context: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageEntry:
    """What the queue and the rules need of a page."""

    page_id: str
    canonical_url: str
    host_key: str
    awaiting_fetch_id: str | None


async def known_pages(
    tx: Transaction, owner: Row | PageOwner, urls: Sequence[str]
) -> dict[str, PageEntry]:
    """Returns the pages that some URLs name, by URL.

    Args:
        owner: a row with the organisation and access context, such as a job's.
    """
    found: dict[str, PageEntry] = {}
    async for batch in batches_in_turns(urls, URLS_PER_STATEMENT):
        rows = await tx.all(PAGES_BY_URL, of_urls=batch, **_owner(owner))
        found.update((row.url, page_entry(row)) for row in rows)
    return found


async def pages_of_job(
    tx: Transaction, job_row: Row, urls: Sequence[str]
) -> tuple[dict[str, PageEntry], set[str]]:
    """Returns the pages that some URLs name, by URL, and the ids of those with a row in a job."""
    found: dict[str, PageEntry] = {}
    held: set[str] = set()
    for owner, owned in await by_owner(tx, job_row, urls):
        async for batch in batches_in_turns(owned, URLS_PER_STATEMENT):
            of_job = {"of_urls": batch, "of_job": job_row.job_id, **_owner(owner)}
            for row in await tx.all(PAGES_OF_JOB, **of_job):
                found[row.url] = page_entry(row)
                if row.held_by is not None:
                    held.add(row.page_id)
    return found, held


async def minted_for_job(
    tx: Transaction, job_row: Row, urls: Sequence[str]
) -> dict[str, PageEntry]:
    """Gives URLs identities as `minted_pages` does, where the job's scope has them fetched."""
    minted: dict[str, PageEntry] = {}
    for owner, owned in await by_owner(tx, job_row, urls):
        minted |= await minted_pages(tx, owner, owned)
    return minted


async def by_owner(
    tx: Transaction, job_row: Row, urls: Sequence[str]
) -> list[tuple[PageOwner, Sequence[str]]]:
    """Parts URLs by the access context that a job's scope has them fetched in.

    That is the context of its credential for their origin, else the job's own.
    """
    scope = ScopeRef(scope_id=job_row.scope_id, revision=job_row.scope_revision)
    contexts = tx.rules.contexts(scope)
    parts: dict[str, list[str]] = {}
    if not contexts:
        return [(PageOwner(job_row.organisation_id, job_row.access_context), urls)]
    async for url in in_turns(urls, len):
        context = contexts.get(origin_of(url), job_row.access_context)
        parts.setdefault(context, []).append(url)
    return [(PageOwner(job_row.organisation_id, context), part) for context, part in parts.items()]


async def minted_pages(
    tx: Transaction, owner: Row | PageOwner, urls: Sequence[str]
) -> dict[str, PageEntry]:
    """Gives each URL an identity unless somebody has just done so; returns them by URL.

    The alias is inserted first and read again: where two workers meet, both take the page of
    the one who came first.
    """
    if not urls:
        return {}
    organisation_id, access_context = owner.organisation_id, owner.access_context
    proposed = {
        url: ids.page_id(organisation_id, access_context, url) async for url in in_turns(urls, len)
    }
    async for batch in batches_in_turns(sorted(urls), URLS_PER_STATEMENT):
        aliases = [_alias_values(owner, url, proposed[url]) for url in batch]
        await insert_ignore_many(tx.connection, alias, aliases)
        rows = await tx.all(IDS_BY_URL, of_urls=batch, **_owner(owner))
        ours = sorted(row.url for row in rows if row.page_id == proposed[row.url])
        pages = [_page_values(owner, url, proposed[url]) async for url in in_turns(ours, len)]
        await insert_ignore_many(tx.connection, page, pages)
    return await known_pages(tx, owner, urls)


async def mint_joined(tx: Transaction, owner: Row, url: str, *, page_id: str) -> None:
    """Gives a page that was joined to another its row; no URL names it."""
    await insert_ignore(tx.connection, page, _page_values(owner, url, page_id))


async def page_at(tx: Transaction, owner: Row, url: str) -> PageEntry | None:
    """Returns the page that a URL names."""
    return (await known_pages(tx, owner, [url])).get(url)


async def rename_page(tx: Transaction, row: Row, url: str) -> bool:
    """Makes a URL the canonical one of a page, and an alias where it was not one yet.

    Returns:
        Whether it did; a URL that names another page is left to that page.
    """
    if not await insert_ignore(tx.connection, alias, _alias_values(row, url, row.page_id)):
        owner = await page_at(tx, row, url)
        if owner is None or owner.page_id != row.page_id:
            return False
    await tx.execute(update(page).where(page.c.page_id == row.page_id).values(_address(url)))
    return True


async def redirect_aliases(tx: Transaction, *, page_id: str, target_id: str) -> None:
    """Lets every URL of a page name another page from now on."""
    await tx.execute(update(alias).where(alias.c.page_id == page_id).values(page_id=target_id))


def clamped_time(row: Row) -> datetime | None:
    """Returns the earliest observed time that a page's next fetch may have."""
    last: datetime | None = row.last_observed_time
    return None if last is None else last + MICROSECOND


def _owner(owner: Row) -> dict[str, Any]:
    return {
        "of_organisation": owner.organisation_id,
        "of_context": owner.access_context,
    }


def page_entry(row: Row) -> PageEntry:
    """Returns the entry of a row that has a page's columns."""
    return PageEntry(
        page_id=row.page_id,
        canonical_url=row.canonical_url,
        host_key=row.host_key,
        awaiting_fetch_id=row.awaiting_fetch_id,
    )


def _alias_values(owner: Row, url: str, page_id: str) -> dict[str, Any]:
    return {
        "organisation_id": owner.organisation_id,
        "access_context": owner.access_context,
        "url": url,
        "page_id": page_id,
    }


def _address(url: str) -> dict[str, Any]:
    named = schemeless(url)
    netloc = named.partition("/")[0]
    return {
        "canonical_url": url,
        "schemeless_url": named,
        "netloc": netloc,
        "reversed_host": reversed_host(netloc),
        "host_key": host_key(url),
    }


def _page_values(owner: Row, url: str, page_id: str) -> dict[str, Any]:
    return {
        "page_id": page_id,
        "organisation_id": owner.organisation_id,
        "access_context": owner.access_context,
        **_address(url),
        "status": "waiting",
        # A server says the same of all routes.
        "by_browser": bool(route_of(url)),
        "last_reason": "",
        "attempts": 0,
        **NO_VALIDATORS,
    }
