"""The lease of a page in SQL: its waiting jobs are asked, its fetch is begun."""

from collections.abc import Sequence

from sqlalchemy import bindparam, insert, select, update

from scops.common.contract.ids import FetchId, PageId
from scops.common.contract.messages.types import BodyRef, ScopeRef
from scops.common.contract.service_table import Lane
from scops.common.observe.trail import from_text
from scops.common.scope.contexts import is_credential_context
from scops.fetcher.adapters.sql.discovery.given_links import is_given, waiting_rows
from scops.fetcher.adapters.sql.frontier.robots import stored_policy
from scops.fetcher.adapters.sql.ledger.jobs import close_rows, closing, scope_of
from scops.fetcher.adapters.sql.tables import fetch, job_page, page, pipeline
from scops.fetcher.adapters.sql.transaction import Row, Transaction
from scops.fetcher.frontier.leases import HostLease, Leased, PageLease, Settled, Validators
from scops.fetcher.frontier.outcomes import OUT_OF_SCOPE, Ending, Outcome

LINKS_MEDIA_TYPE = "application/x-protobuf"

PAGE = select(page).where(page.c.page_id == bindparam("of_page")).with_for_update()
SET_PAGE = update(page).where(page.c.page_id == bindparam("of_page"))
WAITING = (
    (job_page.c.page_id == bindparam("of_page"))
    & (job_page.c.state == "open")
    & job_page.c.fetch_id.is_(None)
)
WAITING_JOBS = waiting_rows(WAITING)
# Not rows that came since the jobs were read: nobody asked their rules.
ATTACH_ROWS = update(job_page).where(
    WAITING, job_page.c.job_id.in_(bindparam("of_jobs", expanding=True))
)
CLOSE_OF_JOBS = closing(
    (job_page.c.page_id == bindparam("of_page"))
    & job_page.c.job_id.in_(bindparam("of_jobs", expanding=True))
)
ADD_FETCH = insert(fetch)
NEWEST_PIPELINE = (
    select(pipeline.c.version)
    .order_by(pipeline.c.seen_time.desc(), pipeline.c.version.desc())
    .limit(1)
)


async def lease_page(tx: Transaction, entry: Row, held: HostLease) -> Leased | None:
    """Leases the page of an entry; None where nobody waits for it, after all."""
    page_row = await tx.first(PAGE, of_page=entry.entry_id)
    if page_row is None or page_row.awaiting_fetch_id is not None:
        # It is queued again when the outcome of its fetch has come.
        return None
    waiting = await tx.all(WAITING_JOBS, of_page=page_row.page_id)
    inside = [row for row in waiting if _holds(tx, row, page_row)]
    await _close_outside(tx, page_row.page_id, waiting, inside)
    if not inside:
        return Settled() if waiting else None
    await _attach(tx, page_row, held.lease_id, lane=entry.lane, jobs=inside)
    validators = await _validators(tx, page_row)
    digest = validators.links.digest if validators else ""
    return PageLease(
        fetch_id=FetchId(held.lease_id),
        page_id=PageId(page_row.page_id),
        organisation_id=page_row.organisation_id,
        access_context=page_row.access_context,
        url=page_row.canonical_url,
        lane=Lane(entry.lane),
        host=held,
        attempts=page_row.attempts,
        scopes=_scopes(inside),
        validators=validators,
        robots=await stored_policy(tx, page_row.canonical_url),
        links_given=all(is_given(tx, row, digest) for row in inside),
        due_time=entry.due_time,
        trail=from_text(inside[0].trail),
        by_browser=page_row.by_browser,
    )


def _holds(tx: Transaction, row: Row, page_row: Row) -> bool:
    """Says whether a job's scope holds a page by its newest rules and credentials."""
    scope, context = scope_of(row), page_row.access_context
    is_read = not is_credential_context(context) or context in tx.rules.contexts(scope).values()
    return is_read and tx.rules.admits(scope, page_row.canonical_url)


async def _close_outside(
    tx: Transaction, page_id: str, waiting: Sequence[Row], inside: Sequence[Row]
) -> None:
    """Ends rows of jobs whose rules do not hold the page any more."""
    kept = {row.job_id for row in inside}
    outside = [row.job_id for row in waiting if row.job_id not in kept]
    if outside:
        ending = Ending(outcome=Outcome.BLOCKED, reason=OUT_OF_SCOPE)
        await close_rows(tx, CLOSE_OF_JOBS, ending, of_page=page_id, of_jobs=outside)


async def _attach(
    tx: Transaction, page_row: Row, fetch_id: str, *, lane: str, jobs: Sequence[Row]
) -> None:
    await tx.execute(
        ADD_FETCH,
        fetch_id=fetch_id,
        page_id=page_row.page_id,
        organisation_id=page_row.organisation_id,
        lane=lane,
        leased_time=tx.now,
        holder=tx.rules.holder.name,
        state="leased",
        kind="",
        attempt=0,
        event_type="",
        etag="",
        content_key="",
        last_modified="",
        validated_url="",
        pipeline_version="",
        links_size=0,
        outcome="",
        reason="",
    )
    of_jobs = [row.job_id for row in jobs]
    await tx.execute(ATTACH_ROWS, of_page=page_row.page_id, of_jobs=of_jobs, fetch_id=fetch_id)
    await tx.execute(SET_PAGE, of_page=page_row.page_id, awaiting_fetch_id=fetch_id)


def _scopes(rows: Sequence[Row]) -> tuple[ScopeRef, ...]:
    return tuple(dict.fromkeys(scope_of(row) for row in rows))


async def _validators(tx: Transaction, row: Row) -> Validators | None:
    """Returns the confirmed fetch that a 304, or the same body again, would stand for."""
    usable = row.validator_fetch_id and row.links_digest
    if not usable or row.pipeline_version != await _newest_pipeline(tx):
        return None
    return Validators(
        fetch_id=FetchId(row.validator_fetch_id),
        etag=row.etag,
        last_modified=row.last_modified,
        validated_url=row.validated_url,
        content_key=row.content_key,
        links=BodyRef(digest=row.links_digest, size=row.links_size, media_type=LINKS_MEDIA_TYPE),
    )


async def _newest_pipeline(tx: Transaction) -> str:
    row = await tx.first(NEWEST_PIPELINE)
    return str(row.version) if row is not None else ""
