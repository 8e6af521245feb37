"""Purges: versions leave the index for good, whatever is under way or comes late."""

import random
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import func, select

from scops.common.contract.errors import TransientError
from scops.common.contract.ids import EventId, PageId, PurgeId
from scops.common.contract.messages.index import IndexOutcome
from scops.common.contract.messages.purge import PurgeApplied, PurgedPage, VersionsPurged
from scops.common.contract.messages.types import OrderKey
from scops.indexer.adapters.tables import VECTOR_CACHE, WORDING_BAND
from scops.indexer.handlers.purging import UNDER_WAY, handle_versions_purged, settle_purges
from tests.fakes.fuse import Fuse, Stop
from tests.fakes.verdicts import PAGE, added, at, ended, unchanged
from tests.fakes.worlds.change import cause
from tests.fakes.worlds.index import IndexWorld
from tests.simulation.stage import Stage

SEEDS = range(40)
CRASHES_MAX = 60
OTHER = PageId("page-2")
LONG = " ".join(f"word{number}" for number in range(60))


@pytest.fixture
async def world() -> AsyncIterator[IndexWorld]:
    """Yields an index of one page with two versions, the first of them in the history."""
    made = await IndexWorld.create()
    first = await made.show("one", "kept", LONG, day=1)
    await made.show("two", "kept", day=2, after=first)
    await made.sweep_later()
    yield made
    await made.close()


def purge(through: float, *, page: PageId = PAGE) -> VersionsPurged:
    """Returns the purge of a page up to a day."""
    purged = PurgedPage(page_id=page, purged_through_time=at(through))
    return VersionsPurged(purge_id=PurgeId("purge"), attempt=1, batch=3, pages=(purged,))


async def purged(world: IndexWorld, event: VersionsPurged) -> PurgeApplied:
    """Handles a purge."""
    (applied,) = await handle_versions_purged(event, cause(EventId("purge")), world.ports)
    return applied


async def rows(world: IndexWorld, table: Any) -> int:
    """Returns how many rows a table has."""
    async with world.database.reading() as connection:
        found = await connection.execute(select(func.count()).select_from(table))
        return int(found.scalar_one())


async def test_a_whole_page_leaves_live_objects_history_vectors_and_wordings(
    world: IndexWorld,
) -> None:
    """Only the head stays, closed, so that a later version is later."""
    applied = await purged(world, purge(2))
    head = await world.head()

    assert (True, "purged", None) == (head.closed, head.closed_reason, head.manifest)
    assert (0, 0) == await world.plain_store.count()
    assert (0, 0) == (await rows(world, VECTOR_CACHE), await rows(world, WORDING_BAND))
    assert ([], []) == (await world.search("kept"), await world.search("one", day=1.5))
    assert ("index", 3, 4) == (applied.owner, applied.batch, applied.counts[0].count)


async def test_what_a_kept_version_lists_stays(world: IndexWorld) -> None:
    """The first version goes; the second one shares a chunk with it."""
    await purged(world, purge(1))

    assert {"two", "kept"} == set(await world.search("kept"))
    assert [] == await world.search("one", day=1.5)
    assert (2, 0) == await world.plain_store.count()
    await world.check()


async def test_another_page_keeps_what_it_says(world: IndexWorld) -> None:
    """A mirror of the purged page is found still."""
    await world.show("kept", day=1, page=OTHER)
    await purged(world, purge(2))

    assert ["kept"] == await world.search("kept")


@pytest.mark.parametrize("kind", [added, unchanged])
async def test_a_late_verdict_of_before_moves_nothing(world: IndexWorld, kind: Any) -> None:
    """Of a version that the index knew, and of one that it never saw."""
    known = await world.version("two", "kept", day=2)
    unseen = await world.version("late", day=1.5)
    await purged(world, purge(2))
    for row in (known, unseen):
        answer = await world.indexed(kind(row, day=3))

        assert (IndexOutcome.CLOSED, "purged") == (answer.outcome, answer.reason)
    assert (await world.head()).closed
    assert (0, 0) == await world.plain_store.count()


async def test_rows_of_purged_versions_in_a_newer_verdict_are_left_out(world: IndexWorld) -> None:
    """A verdict made before the purge names the version that it ended."""
    second = await world.version("two", "kept", day=2)
    third = await world.version("three", "kept", day=3)
    await purged(world, purge(2))
    await world.indexed(added(third, ended(second, 3), day=3))

    assert {"three", "kept"} == set(await world.search("kept"))
    assert [] == await world.search("two", day=2.5)
    assert (2, 0) == await world.plain_store.count()


async def test_the_same_text_after_the_mark_is_found_again(world: IndexWorld) -> None:
    """Its chunks are those of before; late deletes must not hit them."""
    await purged(world, purge(2))
    await world.show("two", "kept", day=5)
    world.clock.advance(UNDER_WAY.total_seconds() + 1)
    await settle_purges(world.ports)
    await world.sweep_later()

    assert {"two", "kept"} == set(await world.search("kept"))
    assert (2, 0) == await world.plain_store.count()
    await world.check()


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_verdict_that_races_with_a_purge_leaves_nothing(seed: int) -> None:
    """However they interleave, and whatever the sweeper does meanwhile."""
    chance = random.Random(seed)
    stage = Stage(chance)
    world = await IndexWorld.create()
    first = await world.show("one", "kept", day=1)
    second = await world.version("two", "kept", day=2)
    world.clock.advance(world.settings.sweep_age_seconds + 1)
    world.effect = stage.effect

    async def deliver() -> None:
        while True:
            try:
                await world.handle(added(second, ended(first, 2), day=2), event_id="v2")
                return
            except TransientError:
                await stage.effect("delivered again")

    async def drop() -> None:
        await purged(world, purge(2))

    async def sweep_once() -> None:
        await world.sweep_later()

    for name, work in (("v2", deliver()), ("purge", drop()), ("sweep", sweep_once())):
        await stage.start(name, work)
    while actor := stage.choose():
        await stage.resume(actor)
    world.clock.advance(UNDER_WAY.total_seconds() + 1)
    await settle_purges(world.ports)
    await world.sweep_later()

    assert (await world.head()).closed
    assert (0, 0) == await world.plain_store.count()
    assert 0 == await rows(world, VECTOR_CACHE)
    await world.close()


@pytest.mark.parametrize("crash", range(0, CRASHES_MAX, 3))
async def test_a_purge_that_crashes_anywhere_is_completed(crash: int) -> None:
    """A redelivery does what was left to do."""
    world = await IndexWorld.create()
    first = await world.show("one", "kept", day=1)
    await world.show("two", "kept", day=2, after=first)
    await world.sweep_later()
    fuse = Fuse(crash)
    world.effect = fuse
    with suppress(Stop):
        await purged(world, purge(2))
    world.effect = Fuse(10_000)
    await purged(world, purge(2))

    assert (0, 0) == await world.plain_store.count()
    assert OrderKey(observed_from=at(2)) == (await world.head()).order_key
    assert 0 == await rows(world, VECTOR_CACHE)
    await world.close()
