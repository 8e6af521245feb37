"""Verified fetches in SQL: they leave in few events, and settle in a few statements."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import bindparam, select

from scops.common.contract import wire
from scops.common.contract.messages.crawl import PageUnmodified
from scops.common.contract.service_table import Lane
from scops.fetcher.adapters.sql.ledger.ledger import publish_again
from scops.fetcher.adapters.sql.ledger.together import FETCHES, SET_FETCHES, settle_together
from scops.fetcher.adapters.sql.state import SqlState
from scops.fetcher.adapters.sql.tables import AWAITED, VERIFIED, fetch
from scops.fetcher.fetch.sameness import verified
from scops.fetcher.frontier.outcomes import Ending, Outcome

FIRST_ATTEMPT = 1
UNCHANGED = Ending(outcome=Outcome.UNCHANGED)
WAITING = (
    select(fetch)
    .where(fetch.c.state == VERIFIED)
    .order_by(fetch.c.published_time, fetch.c.fetch_id)
    .limit(bindparam("at_most"))
    .with_for_update(skip_locked=True)
)


class SqlVerifiedFetches(SqlState):
    """A `VerifiedFetches`; see there for the contract."""

    async def publish(self, *, limit: int, now: datetime) -> int:
        async with self._write(now) as tx:
            rows = await tx.all(WAITING, at_most=limit)
            if rows:
                ids = [row.fetch_id for row in rows]
                await tx.execute(SET_FETCHES, of_fetches=ids, state="published", published_time=now)
                seen = [wire.decode(PageUnmodified, row.event_data) for row in rows]
                for ordinal, event in enumerate(verified(seen)):
                    await tx.send(
                        event,
                        cause=f"verified/{ids[0]}",
                        ordinal=ordinal,
                        organisation_id=rows[0].organisation_id,
                        lane=Lane.BULK,
                    )
        return len(rows)

    async def settle(self, fetch_ids: Sequence[str], *, now: datetime) -> None:
        named = sorted(set(fetch_ids))
        async with self._write(now) as tx:
            rows = await tx.all(FETCHES, of_fetches=named)
            awaited = [row for row in rows if row.state in AWAITED and not row.outcome]
            if awaited:
                await settle_together(tx, awaited, UNCHANGED, confirming=False)

    async def publish_alone(self, fetch_ids: Sequence[str], *, now: datetime) -> None:
        named = sorted(set(fetch_ids))
        async with self._write(now) as tx:
            for row in await tx.all(FETCHES, of_fetches=named):
                is_open = row.state == "published" and not row.outcome
                if is_open and row.attempt == FIRST_ATTEMPT:
                    await publish_again(tx, row)
