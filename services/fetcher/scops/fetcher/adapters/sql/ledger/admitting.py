"""What a job takes in: rows for pages that it reaches and may hold, within its limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, insert, select, update

from scops.common.contract.ids import derived_id
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane
from scops.common.db.types import UtcDateTime
from scops.common.runtime.text_turns import in_turns
from scops.fetcher.adapters.sql.frontier.queue import enqueue_entries
from scops.fetcher.adapters.sql.ledger.jobs import JOB, RECRAWL, is_ending, scope_of
from scops.fetcher.adapters.sql.pages.pages import PageEntry, minted_for_job, pages_of_job
from scops.fetcher.adapters.sql.pages.templates import over_budget
from scops.fetcher.adapters.sql.tables import fetch, job, job_page
from scops.fetcher.adapters.sql.transaction import Entry, EntryKind, Row, Transaction
from scops.fetcher.frontier.outcomes import OUT_OF_SCOPE, PAGE_LIMIT, TEMPLATE_LIMIT, Outcome

# Marks a row of a URL that never became a page.
REFUSED_MARK = "refused:"
# One whose result is being recorded is left alone: it may have looked for its rows already.
IN_FLIGHT = (
    select(fetch.c.page_id, fetch.c.fetch_id)
    .where(
        fetch.c.fetch_id.in_(bindparam("of_fetches", expanding=True)),
        fetch.c.state == "leased",
        fetch.c.leased_time >= bindparam("accepted", type_=UtcDateTime),
    )
    .with_for_update(read=True, skip_locked=True)
)
ADD_ROWS = insert(job_page)
COUNT_ADMITTED = (
    update(job)
    .where(job.c.job_id == bindparam("of_job"))
    .values(
        open_count=job.c.open_count + bindparam("added"),
        admitted_count=job.c.admitted_count + bindparam("added"),
    )
)


@dataclass(frozen=True, slots=True)
class Admitted:
    """What became of URLs that a job was offered.

    Attributes:
        refused: why a URL was not admitted, by URL.
        whole: whether the job holds the page of each one that the rules it began with admit.
    """

    refused: dict[str, str]
    whole: bool


async def admit_urls(tx: Transaction, job_id: str, urls: Sequence[str], *, depth: int) -> Admitted:
    """Adds rows for pages that a job reaches and may hold; those it has already stay as they are.

    Args:
        urls: canonical, each once; their order decides who comes under the page limit.
    """
    row = await tx.first(JOB, of_job=job_id)
    if row is None or is_ending(row) or depth > row.depth_limit:
        return Admitted({}, whole=False)
    depths = dict.fromkeys(urls, depth)
    outside, missing = await _admit(tx, row, depths, linked=False)
    return Admitted(outside | missing, whole=not missing and began_with_rules(tx, row))


async def admit_links(
    tx: Transaction, job_id: str, lists: Sequence[tuple[Sequence[str], int]]
) -> list[bool]:
    """Adds rows for what pages link to, as `admit_urls`; URL templates have budgets.

    Args:
        lists: of each page, with the depth that what it links to has; what several name is as deep
            as the first says.

    Returns:
        Of each list, whether the job holds the page of each URL that its rules admit.
    """
    row = await tx.first(JOB, of_job=job_id)
    if row is None or is_ending(row):
        return [False for _ in lists]
    depths: dict[str, int] = {}
    for urls, depth in lists:
        if depth <= row.depth_limit:
            async for url in in_turns(urls, len):
                depths.setdefault(url, depth)
    _, missing = await _admit(tx, row, depths, linked=True)
    began = began_with_rules(tx, row)
    return [
        began and depth <= row.depth_limit and missing.keys().isdisjoint(urls)
        for urls, depth in lists
    ]


async def _admit(
    tx: Transaction, row: Row, depths: Mapping[str, int], *, linked: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """Adds rows for URLs, with the depth of each; returns why others were not admitted, by URL.

    Those that the rules do not hold, then those whose page the job lacks although they do.
    """
    outside: dict[str, str] = {}
    missing: dict[str, str] = {}
    wanted = await _new_to_job(tx, row, depths, outside, missing)
    for url in await over_budget(tx, row.job_id, wanted) if linked else ():
        missing[url] = TEMPLATE_LIMIT
        del wanted[url]
    free = max(row.page_limit - row.admitted_count, 0)
    missing.update((url, PAGE_LIMIT) for url in list(wanted)[free:])
    await _add_rows(tx, row, dict(list(wanted.items())[:free]), depths)
    return outside, missing


def _is_scheduled(row: Row, depth: int) -> bool:
    """Says whether known pages that a job comes across have a due time of their own."""
    return bool(row.kind == RECRAWL and depth > 0)


def began_with_rules(tx: Transaction, row: Row) -> bool:
    """Says whether the newest rules are those that a job began with."""
    return bool(row.rules_key) and row.rules_key == tx.rules.rules_key(scope_of(row))


async def _new_to_job(
    tx: Transaction,
    row: Row,
    depths: Mapping[str, int],
    outside: dict[str, str],
    missing: dict[str, str],
) -> dict[str, PageEntry | None]:
    """Returns the URLs whose page has no row in the job yet, with the page where it is known.

    Args:
        outside: gets those that the rules do not hold, whatever page they name.
        missing: gets those whose page lives outside the rules for now.
    """
    scope = scope_of(row)
    known, held = await pages_of_job(tx, row, list(depths))
    wanted: dict[str, PageEntry | None] = {}
    async for url, depth in in_turns(depths.items(), lambda one: len(one[0])):
        entry = known.get(url)
        if entry is not None and (entry.page_id in held or _is_scheduled(row, depth)):
            continue
        if not tx.rules.admits(scope, url):
            outside[url] = OUT_OF_SCOPE
            continue
        if entry is not None and not _lives_inside(tx, scope, url, entry):
            missing[url] = OUT_OF_SCOPE
            continue
        wanted[url] = entry
        if entry is not None:
            held.add(entry.page_id)
    return wanted


def _lives_inside(tx: Transaction, scope: ScopeRef, url: str, entry: PageEntry) -> bool:
    """Says whether the rules hold a page also by where it lives, not by one name alone."""
    return entry.canonical_url == url or tx.rules.admits(scope, entry.canonical_url)


async def _add_rows(
    tx: Transaction,
    row: Row,
    wanted: dict[str, PageEntry | None],
    depths: Mapping[str, int],
) -> None:
    if not wanted:
        return
    known = [entry for entry in wanted.values() if entry is not None]
    in_flight = await _joinable_fetches(tx, row, known)
    unknown = [url for url, entry in wanted.items() if entry is None]
    minted = await minted_for_job(tx, row, unknown)
    entries = {url: entry or minted[url] for url, entry in wanted.items()}
    await tx.execute_many(
        ADD_ROWS,
        [
            {
                "job_id": row.job_id,
                "page_id": entry.page_id,
                "url": url,
                "depth": depths[url],
                "state": "open",
                "fetch_id": in_flight.get(entry.page_id),
                "links_taken": not row.follow_links,
                "outcome": "",
                "reason": "",
            }
            for url, entry in entries.items()
        ],
    )
    await tx.execute(COUNT_ADMITTED, of_job=row.job_id, added=len(entries))
    _queue_pages(tx, row, [e for e in entries.values() if e.page_id not in in_flight])


async def _joinable_fetches(
    tx: Transaction, row: Row, entries: Sequence[PageEntry]
) -> dict[str, str]:
    """Returns the fetches that a new row may share: in flight, and leased after the job came."""
    awaited = [entry.awaiting_fetch_id for entry in entries if entry.awaiting_fetch_id]
    if not awaited:
        return {}
    rows = await tx.all(IN_FLIGHT, of_fetches=awaited, accepted=row.accepted_time)
    return {found.page_id: found.fetch_id for found in rows}


def _queue_pages(tx: Transaction, row: Row, entries: Sequence[PageEntry]) -> None:
    """Queues pages, also those whose last fetch awaits its outcome.

    Their turn passes while it does, and they are queued again when it has come; but it may come
    just now, in a transaction that does not see this one's rows.
    """
    enqueue_entries(
        tx,
        [
            Entry(
                entry_id=entry.page_id,
                kind=EntryKind.PAGE,
                host_key=entry.host_key,
                lane=Lane(row.lane),
                due_time=tx.now,
            )
            for entry in entries
        ],
    )


async def refuse_urls(tx: Transaction, job_id: str, refused: dict[str, str]) -> None:
    """Records URLs that a job names and that are no page of it, so that none is lost."""
    if not refused:
        return
    rows = [
        {
            "job_id": job_id,
            "page_id": REFUSED_MARK + derived_id("refused", url),
            "url": url,
            "depth": 0,
            "state": "closed",
            "fetch_id": None,
            "links_taken": True,
            "outcome": Outcome.BLOCKED.value,
            "reason": reason,
            "closed_time": tx.now,
        }
        for url, reason in refused.items()
    ]
    await tx.execute_many(ADD_ROWS, rows)
    await tx.execute(
        update(job)
        .where(job.c.job_id == job_id)
        .values(blocked_count=job.c.blocked_count + len(rows))
    )
