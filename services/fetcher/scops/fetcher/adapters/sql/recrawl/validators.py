"""What validators of sites were worth, in SQL, and for a minute in memory."""

from datetime import datetime, timedelta

from sqlalchemy import bindparam, select

from scops.common.db.database import Database
from scops.fetcher.adapters.sql.recrawl.schedule import counting
from scops.fetcher.adapters.sql.recrawl.schedule_tables import site_signal
from scops.fetcher.politeness.validator_trust import (
    SIGNAL,
    SiteCounts,
    ValidatorVerdict,
    is_believed,
)
from scops.fetcher.recrawl.signal_trust import NOTHING_SIGNALLED, SignalCounts

KEPT = timedelta(minutes=1)
KEPT_MAX = 10_000
COUNTS = select(site_signal).where(
    site_signal.c.host_key == bindparam("of_host"), site_signal.c.kind == SIGNAL
)


class SqlValidatorTrust:
    """A `ValidatorTrust`; see there for the contract."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: dict[str, tuple[datetime, bool]] = {}

    async def believed(self, host_key: str, *, now: datetime) -> bool:
        kept = self._kept.get(host_key)
        if kept is not None and abs(now - kept[0]) < KEPT:
            return kept[1]
        if len(self._kept) >= KEPT_MAX:
            self._kept.clear()
        found = is_believed(await self._counts(host_key))
        self._kept[host_key] = (now, found)
        return found

    async def count(self, counts: SiteCounts) -> None:
        values = {f"{each.value}_count": float(each is counts.verdict) for each in ValidatorVerdict}
        async with self._database.transaction() as connection:
            statement = counting(connection.dialect.name)
            row = {"host_key": counts.host_key, "kind": SIGNAL, **values}
            await connection.execute(statement, row)
        self._kept.pop(counts.host_key, None)

    async def _counts(self, host_key: str) -> SignalCounts:
        async with self._database.reading() as connection:
            row = (await connection.execute(COUNTS, {"of_host": host_key})).first()
        if row is None:
            return NOTHING_SIGNALLED
        return SignalCounts(true=row.true_count, false=row.false_count, missed=row.missed_count)
