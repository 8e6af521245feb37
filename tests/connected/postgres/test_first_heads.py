"""The first head of a page, made while another indexer looks for it: who has read it holds it."""

from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import Select

from scops.common.contract.errors import StoreBusy
from scops.common.db.connection import Connection
from scops.common.db.database import Database
from scops.common.db.locks import lock_rows
from scops.indexer.adapters import sql_heads
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.verdicts import PAGE
from tests.fakes.worlds.index import IndexWorld


async def test_a_head_made_between_look_and_read_is_locked(
    postgres: PostgresStates, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it is written after its chunks were locked, the other way round than by the rest."""
    address = postgres.address("indexer")
    world = await IndexWorld.create(address=address)
    second, third = Database(address, name="second"), Database(address, name="third")
    looks: list[bool] = []

    async def look(
        connection: Connection,
        statement: Select[*tuple[Any, ...]],
        parameters: Mapping[str, Any],
    ) -> bool:
        looks.append(await lock_rows(connection, statement, parameters))
        if [False] == looks:
            monkeypatch.setattr(sql_heads, "lock_rows", lock_rows)
            await world.show("one", day=1)
            monkeypatch.setattr(sql_heads, "lock_rows", look)
        return looks[-1]

    monkeypatch.setattr(sql_heads, "lock_rows", look)
    async with second.transaction() as connection:
        row = await sql_heads.locked_head(connection, PAGE)
        monkeypatch.undo()
        with pytest.raises(StoreBusy):
            async with third.transaction(gives_way=True) as other:
                await sql_heads.locked_head(other, PAGE)
    for database in (second, third):
        await database.close()
    await world.close()

    assert PAGE == row.page_id
    assert [False, True] == looks
