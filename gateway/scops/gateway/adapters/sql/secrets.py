"""Secrets of this installation."""

import random

from sqlalchemy import select

from scops.common.db import Database
from scops.common.db.upsert import insert_ignore
from scops.gateway.adapters.sql.tables import secret
from scops.gateway.requests.page_tokens import KEY_BYTES

PAGE_TOKEN_KEY = "page_token_key"


IDENTITY_KEY = "identity_key"


async def secret_key(database: Database, chance: random.Random, *, name: str) -> bytes:
    """Returns a key of 32 bytes; made at the first call, the same ever after.

    Args:
        chance: must not be predictable: `random.SystemRandom` outside of tests.
        name: `PAGE_TOKEN_KEY` signs page tokens, `IDENTITY_KEY` for whom questions are asked.
    """
    statement = select(secret.c.value).where(secret.c.name == name)
    async with database.transaction() as connection:
        row = {"name": name, "value": chance.randbytes(KEY_BYTES)}
        await insert_ignore(connection, secret, row)
        return bytes((await connection.execute(statement)).scalar_one())
