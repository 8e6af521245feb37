"""Messages in frames: split, in another order, failing in part; nothing is lost or done twice."""

from typing import Any

from scops.common.contract.service_table import BY_TYPE, Role, consumed_by
from tests.simulation.bus import GATHER_SECONDS
from tests.simulation.driver import Driver
from tests.simulation.seeds import live_each
from tests.simulation.world import World

WORLDS = 3
FAULTS = 0.3


async def test_a_crawl_in_frames_ends_with_each_page_once(seeds: range) -> None:
    """Each page has its outcome, and frames come to every consumer of them, in one world or other.

    Where two messages of a kind never wait at once, there is no frame of them. Whoever offers to
    handle many at once does.
    """
    taken: set[tuple[Role, type[Any]]] = set()
    together: set[tuple[Role, type[Any]]] = set()
    offered: set[tuple[Role, type[Any]]] = set()

    async def crawl(world: World) -> None:
        await world.open()
        world.faults = 0.0
        await _crawled(world)
        taken.update((frame.role, frame.contract.message) for frame in world.bus.frames)
        together.update(world.together)
        offered.update(world.many)

        assert world.bus.frames
        assert [] == world.bus.again + world.bus.dead_letters

    await live_each(range(seeds.start, seeds.start + WORLDS), crawl)

    assert {
        (role, entry.message)
        for role in Role
        for entry in consumed_by(role)
        if BY_TYPE[entry.message].framed
    } == taken
    assert offered == together


async def test_frames_that_fail_in_part_end_item_by_item(seeds: range) -> None:
    """What failed comes again alone, in one world or other, and what was beside it does not."""
    again: list[Any] = []

    async def crawl(world: World) -> None:
        await world.open()
        world.faults = FAULTS
        await _crawled(world)
        again.extend(world.bus.again)

        assert {1} == {frame.delivery_count for frame in world.bus.frames}

    await live_each(range(seeds.start, seeds.start + WORLDS), crawl)

    assert again


async def _crawled(world: World) -> None:
    world.bus.gather_seconds = max(GATHER_SECONDS)
    driver = Driver(world)
    await world.crawl()
    await driver.calm()
    await driver.invariants.all_is_done()
    await driver.invariants.search_returns_what_heads_list()
