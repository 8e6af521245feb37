"""What reconciling reads of the index, on each database."""

from datetime import timedelta

import pytest

from scops.common.contract.ids import PageId
from scops.common.db.types import EPOCH
from scops.indexer.adapters import sql_inventory
from scops.indexer.adapters.sql_inventory import SqlInventory
from tests.contract.indexer_state.conftest import Pair

PAGES = tuple(PageId(f"page-{number}") for number in range(5))


async def test_pages_that_were_applied_since_an_instant_are_all_found(pair: Pair) -> None:
    """Of events at the same instant too, and of one that names a page again."""
    world, _ = pair
    inventory = SqlInventory(world.database)
    begin = world.clock.now()
    for number, page_id in enumerate(PAGES):
        await world.show(f"text {number}", day=1, page=page_id)
        if number % 2:
            world.clock.advance(60)
    await world.show("another", day=2, page=PAGES[0])
    end = world.clock.now()

    assert sorted(PAGES) == list(await inventory.applied_since(begin))
    assert [PAGES[0], PAGES[4]] == list(await inventory.applied_since(end))
    assert [] == list(await inventory.applied_since(end + timedelta(seconds=1)))


async def test_applied_pages_are_read_some_at_a_time(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = pair
    few = sql_inventory._ANSWERS.limit(None).limit(2)
    monkeypatch.setattr(sql_inventory, "_ANSWERS", few)
    monkeypatch.setattr(sql_inventory, "BATCH", 2)
    begin = world.clock.now()
    for number, page_id in enumerate(PAGES):
        await world.show(f"text {number}", day=1, page=page_id)

    assert sorted(PAGES) == list(await SqlInventory(world.database).applied_since(begin))


async def test_when_the_store_was_whole_is_kept(pair: Pair) -> None:
    world, _ = pair
    inventory = SqlInventory(world.database)
    before = await inventory.healthy_time()
    for _ in range(2):
        world.clock.advance(60)
        await inventory.note_healthy(now=world.clock.now())

    assert (EPOCH, world.clock.now()) == (before, await inventory.healthy_time())
