"""Reads where pages lead to, and which pages stand in the index."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import select

from scops.common.contract.messages.types import BodyRef
from scops.common.db.database import Database
from scops.fetcher.adapters.sql.tables import alias, page

# In a statement: SQLite and PostgreSQL take as many arguments, and more.
URLS_AT_ONCE = 500


class SqlPageLinks:
    """A `PageLinkStore` of one organisation; see there for the contract."""

    def __init__(self, database: Database, *, organisation_id: str) -> None:
        self._database = database
        self._organisation_id = organisation_id

    async def link_lists(
        self, urls: Sequence[str], *, contexts: Sequence[str]
    ) -> Mapping[str, BodyRef]:
        columns = (alias.c.url, page.c.links_digest, page.c.links_size)
        found = {}
        for row in await self._named(urls, contexts, columns, page.c.links_digest != ""):
            found[row.url] = BodyRef(digest=row.links_digest, size=row.links_size)
        return found

    async def standing(self, urls: Sequence[str], *, contexts: Sequence[str]) -> Collection[str]:
        confirmed = page.c.validator_fetch_id.is_not(None)
        rows = await self._named(urls, contexts, (alias.c.url,), confirmed)
        return {row.url for row in rows}

    async def _named(
        self, urls: Sequence[str], contexts: Sequence[str], columns: Sequence[Any], held: Any
    ) -> list[Any]:
        wanted = list(dict.fromkeys(urls))
        rows: list[Any] = []
        async with self._database.reading() as connection:
            for start in range(0, len(wanted), URLS_AT_ONCE):
                named = (
                    select(*columns)
                    .join(page, page.c.page_id == alias.c.page_id)
                    .where(
                        alias.c.organisation_id == self._organisation_id,
                        alias.c.access_context.in_(contexts),
                        alias.c.url.in_(wanted[start : start + URLS_AT_ONCE]),
                        held,
                    )
                )
                rows += (await connection.execute(named)).all()
        return rows
