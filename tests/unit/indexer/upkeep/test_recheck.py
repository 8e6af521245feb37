"""After an absence of the store, what it may have lost is looked at, however long that lasted."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from scops.common.contract.errors import StoreUnavailable
from scops.indexer.upkeep.recheck import IndexRecheck
from tests.fakes.worlds.index import IndexWorld

HOURS = 3


@dataclass
class MortalStore:
    """A chunk store that can be away; everything else is the store's behind it."""

    store: Any
    is_away: bool = False
    interruptions: int = 0

    async def ping(self) -> None:
        if self.is_away:
            raise StoreUnavailable("It is away.")

    def returns(self) -> None:
        self.is_away = False
        self.interruptions += 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


@pytest.fixture
async def mortal(world: IndexWorld) -> MortalStore:
    return MortalStore(world.plain_store)


def watch(world: IndexWorld, mortal: MortalStore) -> IndexRecheck:
    return IndexRecheck(replace(world.tools, store=mortal))


async def lose_tail(world: IndexWorld) -> None:
    """Takes away what the store had accepted last."""
    await world.show("green tea", day=1)
    ids = [
        item.object_id async for batch in world.plain_store.scan(history=False) for item in batch
    ]
    await world.plain_store.delete(ids)
    assert [] == await world.search("green tea")


async def pass_hours(world: IndexWorld, watching: IndexRecheck | None = None) -> None:
    """Lets the time of an outage pass, watched or not."""
    for _ in range(HOURS * 60):
        world.clock.advance(60.0)
        if watching is not None:
            await watching.step()


async def test_an_outage_of_hours_is_looked_at_from_before_it_began(
    world: IndexWorld, mortal: MortalStore
) -> None:
    """The tail that was lost when the outage began is found again after it."""
    watching = watch(world, mortal)
    await watching.step()
    await lose_tail(world)
    mortal.is_away = True
    await pass_hours(world, watching)
    mortal.returns()
    await watching.step()

    assert ["green tea"] == await world.search("green tea")


async def test_an_indexer_that_starts_after_the_return_knows_when_it_began(
    world: IndexWorld, mortal: MortalStore
) -> None:
    """The last time that the store was well outlives the process."""
    await watch(world, mortal).step()
    await lose_tail(world)
    await pass_hours(world)
    await watch(world, mortal).step()

    assert ["green tea"] == await world.search("green tea")


async def test_a_look_that_failed_is_done_from_the_same_instant(
    world: IndexWorld, mortal: MortalStore
) -> None:
    """A store that goes away again in the middle of the look is not taken for well."""
    watching = watch(world, mortal)
    await watching.step()
    await lose_tail(world)
    mortal.returns()
    kept, mortal.store = mortal.store, None
    with pytest.raises(AttributeError):
        await watching.step()
    mortal.store = kept
    await pass_hours(world)
    await watching.step()

    assert ["green tea"] == await world.search("green tea")


async def test_a_store_that_was_well_all_the_time_is_left_alone(
    world: IndexWorld, mortal: MortalStore
) -> None:
    """No look without an absence, and what is looked at ends short of what is old."""
    watching = watch(world, mortal)
    await watching.step()
    await lose_tail(world)
    await pass_hours(world, watching)
    mortal.returns()
    await watching.step()

    assert [] == await world.search("green tea")
