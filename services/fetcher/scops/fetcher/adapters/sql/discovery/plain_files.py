"""Files in SQL: robots.txt and listings as they came last."""

import asyncio
import zlib
from datetime import datetime

from sqlalchemy import bindparam, select, update

from scops.common.db.database import Database
from scops.common.db.upsert import upsert
from scops.fetcher.adapters.sql.tables import plain_file
from scops.fetcher.politeness.plain_files import PLAIN_BYTES_MAX, KeptFile

SEEN = (
    update(plain_file)
    .where(plain_file.c.url == bindparam("of_url"))
    .values(tried_time=bindparam("tried_time"), unreachable_since=None)
)
FILE = select(plain_file).where(plain_file.c.url == bindparam("of_url"))

# Compressed in ten milliseconds.
LOOP_BYTES_MAX = 512 * 1024


class SqlPlainFiles:
    """A `PlainFiles`; see there for the contract."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def held(self, url: str) -> KeptFile | None:
        async with self._database.reading() as connection:
            row = (await connection.execute(FILE, {"of_url": url})).first()
        if row is None:
            return None
        return KeptFile(
            final_url=row.final_url,
            etag=row.etag,
            last_modified=row.last_modified,
            body=None if row.body is None else zlib.decompress(row.body),
            tried_time=row.tried_time,
            unreachable_since=row.unreachable_since,
        )

    async def keep(self, url: str, file: KeptFile) -> None:
        packed = None if file.body is None else await _compressed(file.body)
        row = {
            "url": url,
            "final_url": file.final_url,
            "etag": file.etag,
            "last_modified": file.last_modified,
            "body": packed if packed is not None and len(packed) <= PLAIN_BYTES_MAX else None,
            "tried_time": file.tried_time,
            "unreachable_since": file.unreachable_since,
        }
        async with self._database.transaction() as connection:
            await upsert(connection, plain_file, row, key=["url"])

    async def seen(self, url: str, *, now: datetime) -> None:
        async with self._database.transaction() as connection:
            await connection.execute(SEEN, {"of_url": url, "tried_time": now})


async def _compressed(body: bytes) -> bytes:
    """Returns a body compressed; a large one beside the event loop, which it would hold up."""
    if len(body) <= LOOP_BYTES_MAX:
        return zlib.compress(body)
    return await asyncio.to_thread(zlib.compress, body)
