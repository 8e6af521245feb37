"""What principals spend, in SQL: one statement adds and checks, so that replicas count together."""

from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from typing import Any

from sqlalchemy import bindparam, or_, select

from scops.common.db import Database
from scops.common.db.connection import Connection
from scops.common.db.locks import forget_rows
from scops.common.db.upsert import insert_for
from scops.gateway.adapters.sql.tables import usage
from scops.gateway.quotas.daily import Charge, Spending

KEY = ("organisation_id", "principal_id", "day", "kind")
# As long as people look back.
DAYS_KEPT = 400


class SqlUsage:
    """A `UsageLog` on the gateway's database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def spend(self, charge: Charge) -> bool:
        async with self._database.transaction() as connection:
            return await spend(connection, charge)

    async def spent(
        self, organisation_id: str, principal_id: str, day: date
    ) -> Mapping[Spending, int]:
        statement = select(usage.c.kind, usage.c.amount).where(
            usage.c.organisation_id == organisation_id,
            usage.c.principal_id == principal_id,
            usage.c.day == day.isoformat(),
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(statement)).all()
        return {Spending(row.kind): row.amount for row in rows}


async def spend(connection: Connection, charge: Charge) -> bool:
    """Adds a charge inside a transaction; returns whether its bound left room for it."""
    if charge.limit and charge.amount > charge.limit:
        return False
    row = {
        "organisation_id": charge.organisation_id,
        "principal_id": charge.principal_id,
        "day": charge.day.isoformat(),
        "kind": charge.kind.value,
        "amount": charge.amount,
        "bound": charge.limit,
    }
    done = await connection.execute(_adding(connection.dialect.name), row)
    return bool(done.rowcount == 1)


async def forget_days(connection: Connection, *, today: date) -> None:
    """Drops some of the days that nobody looks back to."""
    oldest = today - timedelta(days=DAYS_KEPT)
    await forget_rows(connection, usage, usage.c.day < oldest.isoformat())


@cache
def _adding(dialect_name: str) -> Any:
    names = (*KEY, "amount")
    statement = insert_for(dialect_name, usage).values({name: bindparam(name) for name in names})
    after = usage.c.amount + statement.excluded.amount
    return statement.on_conflict_do_update(
        index_elements=list(KEY),
        set_={"amount": after},
        where=or_(bindparam("bound") == 0, after <= bindparam("bound")),
    )
