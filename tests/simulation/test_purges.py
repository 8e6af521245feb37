"""A purge amid crawls, crashes and messages that come twice or late: nothing comes back."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select

from scops.change_detector.adapters.tables import run
from scops.change_detector.adapters.tables import version as change_version
from scops.common.contract.ids import PageId, PurgeId, ScopeId
from scops.common.contract.messages.purge import PurgePages, PurgeSelector
from scops.common.contract.service_table import Lane
from scops.fetcher.adapters.sql.tables import page
from scops.fetcher.purging import purge_some
from scops.gateway.purges.purge import Purge
from scops.indexer.adapters.tables import HEAD, PAGE_VERSION
from scops.indexer.handlers.purging import UNDER_WAY, settle_purges
from scops.indexer.upkeep.sweeper import sweep
from scops.libraries.index.rows.head_reader import version_of
from tests.simulation.driver import Driver
from tests.simulation.seeds import live_each
from tests.simulation.world import World

PURGED_HOST = "a.example"
MISCHIEF = 0.1
# A world with a purge takes as long as three without.
SEEDS_APART = 4
STEPS_BEFORE, STEPS_AFTER = (20, 900), 300
LOOP = "fetcher:purge"
ROUNDS_MAX = 50


async def test_nothing_that_was_observed_before_the_mark_comes_back(seeds: range) -> None:
    """Whatever is under way at the mark, and whatever happens after it."""
    await live_each(seeds[::SEEDS_APART], _purged_amid_work)


async def _purged_amid_work(world: World) -> None:
    await world.open()
    # The gateway, which asks again for a purge that somebody did not hear of, is not there.
    driver = Driver(world, mischief=MISCHIEF, loses=False)
    await world.crawl()
    for _ in range(world.rng.randint(*STEPS_BEFORE)):
        await driver.step()
    mark = world.clock.now()
    selector = PurgeSelector(url_prefixes=(PURGED_HOST,))
    command = PurgePages(
        purge_id=PurgeId("purge"), attempt=1, selector=selector, before_time=mark, until_taken=True
    )
    world.forgets = True
    await world.front.purge(
        Purge(
            purge_id=command.purge_id,
            organisation_id="main",
            principal="local",
            selector=selector,
            scope_id=ScopeId(""),
            before_time=mark,
            reason="",
            created_time=mark,
            sent_time=mark,
        )
    )
    await world.send(command, Lane.NOW)
    for _ in range(STEPS_AFTER):
        await driver.step()
        running = any(actor.name == LOOP for actor in world.stage.actors)
        if not running and world.rng.random() < 0.05:
            await world.stage.start(LOOP, purge_some(world.fetcher))
    await _ended(driver)
    await _nothing_of_before(world, mark)


async def _ended(driver: Driver) -> None:
    """Carries the purge out calmly, and lets the index go over it again."""
    world = driver.world
    for _ in range(ROUNDS_MAX):
        await driver.calm()
        actor = await world.stage.start(LOOP, purge_some(world.fetcher))
        await world.stage.finish(actor)
        driver.look_again()
        if actor.task is not None and not actor.task.result():
            break
    await driver.calm()
    await driver.invariants.all_is_done()
    world.clock.advance(UNDER_WAY.total_seconds() + 1)
    for name, work in (("settle", settle_purges(world.indexer)), ("sweep", sweep(world.indexer))):
        await world.stage.finish(await world.stage.start(f"indexer:{name}", work))


async def _nothing_of_before(world: World, mark: datetime) -> None:
    pages = {row.page_id for row in await _pages(world)}
    async with world.change_db.reading() as connection:
        versions = (await connection.execute(select(change_version))).all()
        runs = (await connection.execute(select(run).where(run.c.last_observed >= mark))).all()
    seen_since = {(one.page_id, one.observed_from) for one in runs}
    ours = [one for one in versions if one.page_id in pages]
    kept = [one for one in ours if one.dropped_reason != "purged"]
    assert {(one.page_id, one.observed_from) for one in kept} <= seen_since, "a text of before"
    assert all(one.title == "" for one in ours if one.dropped_reason == "purged")
    async with world.index_db.reading() as connection:
        heads = (await connection.execute(select(HEAD))).all()
        stood = (await connection.execute(select(PAGE_VERSION))).all()
    open_heads = {one.version_id for one in heads if one.page_id in pages and not one.closed}
    known = {one.version_id for one in stood if one.page_id in pages}
    assert open_heads | known <= {one.version_id for one in kept}, "the index kept more"
    await _only_listed_chunks(world, pages, stood)


async def _only_listed_chunks(world: World, pages: set[PageId], stood: Sequence[Any]) -> None:
    """The store holds no chunk of the pages that no version which is left lists."""
    listed: set[str] = set()
    for row in stood:
        manifest = await world.indexer.manifests.get(version_of(row).manifest)
        listed.update(chunk.chunk_id for chunk in manifest.chunks)
    for history in (False, True):
        async for batch in world.store.inner.scan(history=history):
            left = {one.chunk_id for one in batch if one.page_id in pages}
            assert left <= listed, "the store holds what was purged"


async def _pages(world: World) -> list[Any]:
    """Returns the pages of the host that was purged."""
    async with world.fetcher_db.reading() as connection:
        rows = (await connection.execute(select(page))).all()
    return [row for row in rows if f"//{PURGED_HOST}/" in row.canonical_url]
