"""Versions that retention lets go of: nothing of them is found, and nothing else is lost."""

import pytest
from sqlalchemy import Table, func, select

from scops.common.bus.ports import Cause
from scops.common.contract.ids import EventId
from scops.common.contract.messages.change import DroppedVersion, VersionRow, VersionsDropped
from scops.common.contract.service_table import Lane
from scops.indexer.adapters.tables import CHUNK, WORDING_BAND
from scops.indexer.handlers.dropping import handle_versions_dropped
from scops.indexer.upkeep.sweeper import DROPPED_CHUNK_DAYS, sweep
from tests.fakes.verdicts import PAGE, at
from tests.fakes.worlds.index import IndexWorld

DAY_SECONDS = 86_400.0


@pytest.fixture
async def world(world: IndexWorld) -> IndexWorld:
    """A page whose first version stood one day, one chunk of which goes on standing."""
    first = await world.show("tea is cheap", "open daily", day=1)
    await world.show("tea is dear", "open daily", day=2, after=first)
    await world.sweep_later()
    return world


async def drop(world: IndexWorld, *versions: VersionRow) -> None:
    """Tells the indexer that versions are not kept."""
    news = VersionsDropped(
        page_id=PAGE,
        versions=tuple(
            DroppedVersion(version_id=version.version_id, manifest=version.manifest)
            for version in versions
        ),
        reason="expired",
        dropped_time=at(50),
    )
    cause = Cause(
        event_id=EventId("dropped"),
        organisation_id="main",
        lane=Lane.BULK,
        published_time=at(50),
    )
    assert () == tuple(await handle_versions_dropped(news, cause, world.ports))


async def test_a_dropped_version_is_not_found_any_more(world: IndexWorld) -> None:
    """Neither its row nor the chunk that it alone listed; told twice, it is the same."""
    before = await world.search("tea", day=1.5)
    first = await world.version("tea is cheap", "open daily", day=1, until=2)
    await drop(world, first)
    await drop(world, first)

    assert {"tea is cheap", "open daily"} == set(before)
    assert [] == await world.search("tea", day=1.5)
    assert (2, 0) == await world.plain_store.count()


async def test_what_other_versions_list_stays(world: IndexWorld) -> None:
    """The head and its chunks are untouched."""
    first = await world.version("tea is cheap", "open daily", day=1, until=2)
    await drop(world, first)
    await world.check()

    assert {"tea is dear", "open daily"} == set(await world.search("tea open"))


async def test_what_the_head_stands_at_is_never_dropped(world: IndexWorld) -> None:
    """Whoever says so erred, or speaks of what has come back."""
    second = await world.version("tea is dear", "open daily", day=2)
    await drop(world, second)

    assert {"tea is dear", "open daily"} == set(await world.search("tea open", day=3))


async def test_rows_of_chunks_that_nothing_lists_go_after_a_month(world: IndexWorld) -> None:
    """Not before: a delete of one of their objects may still be on the way."""
    first = await world.version("tea is cheap", "open daily", day=1, until=2)
    await drop(world, first)
    await world.sweep_later()
    soon = await _rows(world)
    world.clock.advance(DROPPED_CHUNK_DAYS * DAY_SECONDS)
    await sweep(world.ports)
    late = await _rows(world)

    assert [3, 2] == [soon, late]
    await world.check()
    assert {"tea is dear", "open daily"} == set(await world.search("tea open"))


async def test_a_chunk_that_comes_back_keeps_its_row(world: IndexWorld) -> None:
    """It is listed again before its time, and its row counts on from its incarnation."""
    first = await world.version("tea is cheap", "open daily", day=1, until=2)
    second = await world.version("tea is dear", "open daily", day=2)
    await drop(world, first)
    await world.show("tea is cheap", "open daily", day=3, after=second)
    world.clock.advance(2 * DROPPED_CHUNK_DAYS * DAY_SECONDS)
    await sweep(world.ports)
    await world.check()

    assert 3 == await _rows(world)
    assert {"tea is cheap", "open daily"} == set(await world.search("tea open"))


async def test_a_chunk_that_comes_back_after_its_row_went_begins_anew(world: IndexWorld) -> None:
    """With incarnation 1; what is deleted late hits nothing."""
    first = await world.version("tea is cheap", "open daily", day=1, until=2)
    second = await world.version("tea is dear", "open daily", day=2)
    await drop(world, first)
    world.clock.advance(2 * DROPPED_CHUNK_DAYS * DAY_SECONDS)
    await sweep(world.ports)
    await world.show("tea is cheap", "open daily", day=90, after=second)
    await world.sweep_later()
    await world.check()

    assert {"tea is cheap", "open daily"} == set(await world.search("tea open"))


async def test_bands_of_wordings_that_nobody_has_go_with_them(world: IndexWorld) -> None:
    """A text of many words has four; they go with the last chunk that says it."""
    long = " ".join(f"word{number}" for number in range(60))
    third = await world.show(long, day=3)
    await world.show("tea is back", day=4, after=third)
    await world.sweep_later()
    before = await _count(world, WORDING_BAND)
    await drop(world, await world.version(long, day=3, until=4))
    world.clock.advance(2 * DROPPED_CHUNK_DAYS * DAY_SECONDS)
    await sweep(world.ports)

    assert 4 == before
    assert 0 == await _count(world, WORDING_BAND)


async def _rows(world: IndexWorld) -> int:
    return await _count(world, CHUNK)


async def _count(world: IndexWorld, table: Table) -> int:
    async with world.database.reading() as connection:
        rows = await connection.execute(select(func.count()).select_from(table))
    return int(rows.scalar_one())
