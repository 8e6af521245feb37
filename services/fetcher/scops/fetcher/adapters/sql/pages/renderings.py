"""Pages that a browser shows, in SQL: which they are, and how many each scope has had of a day."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, select, update

from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.types import Scope
from scops.common.db.database import Database
from scops.common.db.upsert import insert_ignore
from scops.fetcher.adapters.sql.ledger.jobs import scope_of
from scops.fetcher.adapters.sql.recrawl.schedule_rows import day_of
from scops.fetcher.adapters.sql.tables import AWAITED, job, job_page, page, rendering
from scops.fetcher.adapters.sql.transaction import Row, Transaction

NEEDS_BROWSER = (
    update(page)
    .where(page.c.page_id == bindparam("of_page"), page.c.by_browser.is_(False))
    .values(by_browser=True)
    .returning(page.c.page_id)
)
# The links of the rendered page are still to come.
WAIT_AGAIN = (
    update(job_page)
    .where(job_page.c.fetch_id == bindparam("of_fetch"), job_page.c.state == "open")
    .values(fetch_id=None, links_taken=False)
)
BEGUN = select(rendering.c.pages).where(
    rendering.c.organisation_id == bindparam("of_organisation"),
    rendering.c.scope_id == bindparam("of_scope"),
    rendering.c.day == bindparam("of_day"),
)
WAITING_SCOPES = (
    select(job.c.scope_id, job.c.scope_revision)
    .join(job_page, job_page.c.job_id == job.c.job_id)
    .where(job_page.c.fetch_id == bindparam("of_fetch"), job_page.c.state == "open")
    .distinct()
)
COUNT = (
    update(rendering)
    .where(
        rendering.c.organisation_id == bindparam("of_organisation"),
        rendering.c.scope_id == bindparam("of_scope"),
        rendering.c.day == bindparam("of_day"),
        rendering.c.pages < bindparam("at_most"),
    )
    .values(pages=rendering.c.pages + 1)
)


class SqlRenderings:
    """A `Renderings`; see there for the contract.

    Args:
        per_day: pages of a scope that names no number of its own.
    """

    def __init__(self, database: Database, *, organisation_id: str, per_day: int) -> None:
        self._database = database
        self._organisation_id = organisation_id
        self._per_day = per_day

    async def begin(self, scopes: Sequence[Scope], *, now: datetime) -> bool:
        """Counts a page for the first of some scopes that has one left today."""
        day = int(day_of(now))
        async with self._database.transaction() as connection:
            for scope in scopes:
                key = {
                    "organisation_id": self._organisation_id,
                    "scope_id": scope.scope_id,
                    "day": day,
                }
                await insert_ignore(connection, rendering, {**key, "pages": 0})
                of = {
                    "of_organisation": self._organisation_id,
                    "of_scope": scope.scope_id,
                    "of_day": day,
                    "at_most": scope.rendered_per_day or self._per_day,
                }
                if (await connection.execute(COUNT, of)).rowcount:
                    return True
        return False

    async def begun(self, scope_id: ScopeId, *, now: datetime) -> int:
        """Returns how many pages were counted for a scope today."""
        of = {
            "of_organisation": self._organisation_id,
            "of_scope": scope_id,
            "of_day": int(day_of(now)),
        }
        async with self._database.reading() as connection:
            row = (await connection.execute(BEGUN, of)).first()
        return int(row.pages) if row is not None else 0


async def show_by_browser(tx: Transaction, fetch_row: Row) -> None:
    """Lets the page of a fetch that brought an app without its content wait for a browser.

    Once: one that stays empty in a browser has no content. Where there is no browser, or nobody
    who waits for the page has it show pages, it is left as it is.
    """
    if fetch_row.outcome or fetch_row.state not in AWAITED:
        return
    waiting = await tx.all(WAITING_SCOPES, of_fetch=fetch_row.fetch_id)
    if not any(tx.rules.renders(scope_of(row)) for row in waiting):
        return
    if await tx.first(NEEDS_BROWSER, of_page=fetch_row.page_id) is not None:
        await tx.execute(WAIT_AGAIN, of_fetch=fetch_row.fetch_id)
