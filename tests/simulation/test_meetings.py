"""Named cases of what happens while something else is under way."""

import pytest
from sqlalchemy import select

from scops.fetcher.adapters.sql import tables as fetcher_tables
from tests.simulation.driver import Driver
from tests.simulation.scenes import ONE, TWO, crawled, ended, interleave, is_page, outcomes, says
from tests.simulation.site import SimPage
from tests.simulation.world import World, prefix


@pytest.mark.parametrize("seed", range(12))
async def test_two_indexers_race_and_the_newer_version_wins(seed: int) -> None:
    """v2 and v3 are applied at once, in every order; the head ends at v3."""
    world = World(seed)
    await world.open()
    driver = Driver(world)
    says(world, ONE, "alpha")
    await crawled(driver)
    racing = []
    for text in ("beta", "gamma"):
        says(world, ONE, text)
        await world.fetch(ONE)
        stored = await driver.until_durable_is_owed("indexer-version_added-now")
        world.bus.owed.remove(stored)
        racing.append(stored)
        # The page awaits this verdict: another fetch must not wait for the indexer here.
        async with world.fetcher_db.transaction() as connection:
            await connection.execute(fetcher_tables.page.update().values(awaiting_fetch_id=None))
    world.bus.owed += racing
    actors = [await world.deliver(stored) for stored in racing]
    await interleave(driver, *actors)
    await driver.calm()

    head = (await driver.invariants.texts())[ONE]
    assert head is not None
    assert "is gamma and it" in head
    await driver.invariants.search_returns_what_heads_list()
    await world.close()


@pytest.mark.parametrize("seed", range(12))
async def test_the_sweeper_meets_a_text_that_returns(seed: int) -> None:
    """While old chunks are retired their text comes back; the head's chunks stay findable."""
    world = World(seed)
    await world.open()
    driver = Driver(world)
    for text in ("alpha", "beta"):
        says(world, ONE, text)
        await crawled(driver)
    world.clock.advance(3600)
    says(world, ONE, "alpha")
    await world.fetch(ONE)
    stored = await driver.until_durable_is_owed("indexer-version_restored-now")
    actors = [await world.start("indexer:sweep"), await world.deliver(stored)]
    await interleave(driver, *actors)
    await driver.calm()
    await world.stage.finish(await world.start("indexer:sweep"))

    await driver.invariants.everything()
    await driver.invariants.search_returns_what_heads_list()
    await world.close()


@pytest.mark.parametrize("seed", range(8))
async def test_two_workers_insert_one_link_and_end_the_last_two_pages(seed: int) -> None:
    """One page row, one end: the open count reaches zero once."""
    world = World(seed)
    await world.open()
    driver = Driver(world)
    shared = "http://a.example/shared"
    world.site.set(shared, SimPage("delta", ()))
    for url in (ONE, TWO):
        world.site.set(url, SimPage("alpha", (shared,)))
    await world.fetch(ONE, TWO)
    job_id = await world.crawl()
    extracted = "fetcher-page_extracted-bulk"
    first = await driver.until_durable_is_owed(extracted)
    world.bus.owed.remove(first)
    second = await driver.until_durable_is_owed(extracted)
    world.bus.owed.append(first)
    actors = [await world.deliver(first), await world.deliver(second)]
    await interleave(driver, *actors)
    job = await ended(driver, job_id)

    assert outcomes(job)[shared] == "indexed"
    async with world.fetcher_db.reading() as connection:
        statement = select(fetcher_tables.alias).where(fetcher_tables.alias.c.url == shared)
        assert len((await connection.execute(statement)).all()) == 1
    await world.close()


async def test_a_rule_removed_in_mid_crawl_admits_nothing_more(driver: Driver) -> None:
    """Pages outside the newest rules end without being fetched; the job ends."""
    world = driver.world
    job_id = await world.crawl()
    await driver.until_durable_is_owed("fetcher-page_extracted-bulk")
    world.scope(prefix("b.example"))
    seen = len(world.site.answers)
    job = await ended(driver, job_id)

    asked = [url for _, url, _ in world.site.answers[seen:] if is_page(url)]
    assert all("b.example" in url for url in asked), asked
    assert job.state == "completed"


async def test_a_rule_removed_in_mid_query_lets_nothing_out(driver: Driver) -> None:
    """The newest rules are asked after the store has answered."""
    world = driver.world
    await crawled(driver)
    found = []

    async def search() -> None:
        found.append(await world.search("value of one", limit=50))

    actor = await world.stage.start("search", search())
    assert actor.effect == "store searched"
    world.scope(prefix("b.example"))
    await world.stage.finish(actor)

    assert found[0].evidence
    assert all("b.example" in passage.canonical_url for passage in found[0].evidence)


async def test_a_cancelled_job_ends_and_what_was_fetched_stays(driver: Driver) -> None:
    """Open pages end as cancelled; nothing is asked for afterwards."""
    world = driver.world
    job_id = await world.crawl()
    await driver.until_durable_is_owed("fetcher-page_extracted-bulk")
    await world.cancel(job_id)
    job = await ended(driver, job_id)

    assert job.state == "cancelled"
    assert job.counts.cancelled > 0
    assert job.counts.open == 0
