"""What the sweeper keeps within bounds, and what it leaves alone."""

from dataclasses import replace
from typing import Any

import pytest

from scops.common.contract import ids
from scops.common.contract.ids import EventId
from scops.indexer.adapters.sql_index_rows import VECTOR_TOUCH
from scops.indexer.adapters.tables import ANSWER, VECTOR_CACHE
from scops.indexer.upkeep import sweeper
from scops.indexer.upkeep.sweeper import SweepResult, sweep
from tests.fakes.verdicts import PAGE, added, at, ended
from tests.fakes.worlds.index import IndexWorld


def configure(world: IndexWorld, **changes: Any) -> None:
    world.settings = world.settings.model_copy(update=changes)
    world.ports = replace(world.ports, settings=world.settings)


async def _count(world: IndexWorld, table: Any) -> int:
    async with world.database.reading() as connection:
        return len((await connection.execute(table.select())).all())


async def test_young_chunks_stay(world: IndexWorld) -> None:
    """What was listed within the age is not swept."""
    first = await world.show("one", day=1)
    await world.show("two", day=2, after=first)
    world.clock.advance(world.settings.sweep_age_seconds - 1)

    assert SweepResult() == await sweep(world.ports)
    assert (2, 0) == await world.plain_store.count()


async def test_swept_chunk_carries_its_interval(world: IndexWorld) -> None:
    """The interval in the history holds every stay that listed the chunk, and no later one."""
    first = await world.show("one", day=1)
    await world.show("two", day=2, after=first)

    assert SweepResult(retired=1, deleted=1) == await world.sweep_later()
    connection = world.plain_store._opened()
    rows = connection.execute("SELECT observed_from, observed_to FROM passage WHERE history = 1")
    microseconds = [int(at(day).timestamp() * 1_000_000) for day in (1, 2)]
    assert [tuple(microseconds)] == rows.fetchall()


async def test_run_is_bounded(world: IndexWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run moves at most its batches; the next one goes on."""
    monkeypatch.setattr(sweeper, "CHUNKS_AT_ONCE", 3)
    monkeypatch.setattr(sweeper, "STEPS_MAX", 2)
    first = await world.show(*(f"old {number}" for number in range(10)), day=1)
    await world.show("new", day=2, after=first)

    runs = [await world.sweep_later() for _ in range(3)]

    assert [6, 4, 0] == [swept.retired for swept in runs]
    assert (1, 10) == await world.plain_store.count()


async def test_chunk_that_was_never_inserted_leaves_nothing(world: IndexWorld) -> None:
    """A claim whose handler crashed before the insert is retired without a copy."""
    first = await world.version("one", day=1)

    async def stop(name: str) -> None:
        if name == "store.insert.begin":
            raise KeyboardInterrupt

    world.effect = stop
    with pytest.raises(KeyboardInterrupt):
        await world.indexed(added(first, day=1))
    world.effect = lambda name: world.clock.sleep(0)

    assert 1 == (await world.sweep_later()).retired
    assert (0, 0) == await world.plain_store.count()
    await world.indexed(added(first, day=1))
    await world.check()


async def test_vector_cache_keeps_the_latest_used(world: IndexWorld) -> None:
    """Above its bound the cache forgets what was unused longest; a forgotten text is embedded."""
    configure(world, vector_cache_rows_max=2)
    for day, text in enumerate(("one", "two", "three"), start=1):
        row = await world.version(text, day=day)
        await world.indexed(added(row, day=day))
        world.clock.advance(1)
    await sweep(world.ports)

    assert 2 == await _count(world, VECTOR_CACHE)
    await world.sweep_later()
    row = await world.version("one", "three", day=4)
    assert 1 == (await world.indexed(added(row, day=4))).chunks_embedded
    assert "Tea\none" == world.embedder.texts[-1]


async def test_use_of_a_vector_is_noted(world: IndexWorld) -> None:
    """A cached vector that is used again outlives one that is not."""
    first = await world.show("one", day=1)
    world.clock.advance(1)
    second = await world.show("two", day=2, after=first)
    await world.sweep_later()
    world.clock.advance(VECTOR_TOUCH.total_seconds())
    third = await world.version("one", day=3)
    assert 0 == (await world.indexed(added(third, ended(second, 3), day=3))).chunks_embedded
    configure(world, vector_cache_rows_max=1)
    await sweep(world.ports)

    key = ids.embedding_key(world.embedder.embedder_id, ids.embedded_text("Tea", "one"))
    assert [key] == list(await world.rows.vectors([key], now=world.clock.now()))
    assert 1 == await _count(world, VECTOR_CACHE)


async def test_old_answers_are_forgotten(world: IndexWorld) -> None:
    """Answers are kept as long as a redelivery may come, and no longer."""
    row = await world.version("one", day=1)
    await world.indexed(added(row, day=1), event_id="old")
    world.clock.advance(sweeper.ANSWER_DAYS * 86_400 - 1)
    await sweep(world.ports)
    assert 1 == await _count(world, ANSWER)
    world.clock.advance(2)
    await sweep(world.ports)

    assert 0 == await _count(world, ANSWER)
    assert (await world.rows.page_state(PAGE, EventId("old"), ())).answer is None
