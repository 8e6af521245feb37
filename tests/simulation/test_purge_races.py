"""A purge deletes a text while the same text comes back: what is observed after the mark stays."""

from collections.abc import AsyncIterator

import pytest

from scops.common.contract import wire
from scops.common.contract.ids import JobId, PurgeId
from scops.common.contract.messages.content import PageExtracted
from scops.common.contract.messages.purge import PurgePages, PurgeSelector
from scops.common.contract.service_table import Lane
from scops.fetcher.purging import purge_some
from tests.simulation.bus import Stored
from tests.simulation.driver import Driver
from tests.simulation.scenes import ONE, TWO, crawled, ended, interleave, outcomes, says
from tests.simulation.site import SimPage
from tests.simulation.stage import Actor
from tests.simulation.world import World

SEEDS = range(12)
WORD = "omega"
# Another page, of which the world says the same words.
THREE = "http://b.example/one?edition=2"
COLLECTOR, RETENTION = "change-detector:purge", "change-detector:retention"
PAUSE_SECONDS, DAY_SECONDS = 1.0, 86_400.0
ROUNDS_MAX = 20
PURGED = "change-detector-pages_purged-now"
FETCHED, EXTRACTED = "extractor-page_fetched-now", "change-detector-page_extracted-now"


@pytest.fixture(params=SEEDS)
async def driver(request: pytest.FixtureRequest) -> AsyncIterator[Driver]:
    """A world that was crawled calmly, in which two pages say the same."""
    world = World(request.param)
    await world.open()
    driver = Driver(world)
    for url in (ONE, TWO):
        says(world, url, WORD)
    await crawled(driver)
    # What each step of a race brings is no matter of chance.
    world.faults = 0.0
    yield driver
    await world.close()


async def test_a_text_that_is_put_while_a_purge_deletes_it_stays(driver: Driver) -> None:
    """The extractor puts it between the collector's look and its deed."""
    world = driver.world
    await marked(driver)
    await told(driver)
    await driver.calm()
    job_id = await world.fetch(ONE)
    extracting = await taken(driver, FETCHED)
    await interleave(driver, await world.start(COLLECTOR), extracting)

    await assert_it_is_back(driver, job_id, ONE)


async def test_a_text_that_is_referred_to_while_a_purge_deletes_it_stays(driver: Driver) -> None:
    """Another page says the same: its version comes between the collector's look and its deed."""
    world = driver.world
    await marked(driver)
    world.site.set(THREE, SimPage(WORD, ()))
    job_id = await world.fetch(THREE)
    extracted = await held_back(driver, EXTRACTED)
    await told(driver)
    await handled(driver, PURGED)
    collecting = await world.start(COLLECTOR)
    while collecting.effect != f"archive aside {text_of(extracted)}":
        await world.stage.resume(collecting)
    await world.stage.finish(await world.deliver(extracted))
    await world.stage.finish(collecting)

    await assert_it_is_back(driver, job_id, THREE)


async def test_a_text_that_was_put_after_the_mark_waits_for_its_version(driver: Driver) -> None:
    """The page itself comes back before its purge is noted: what it says is garbage, and wanted."""
    world = driver.world
    await marked(driver)
    await told(driver)
    purged = await held_back(driver, PURGED)
    job_id = await world.fetch(ONE)
    extracted = await held_back(driver, EXTRACTED)
    await world.stage.finish(await world.deliver(purged))
    await world.stage.finish(await world.start(COLLECTOR))
    await world.stage.finish(await world.deliver(extracted))

    await assert_it_is_back(driver, job_id, ONE)


async def test_a_text_that_was_put_before_the_mark_comes_with_the_next_fetch(
    driver: Driver,
) -> None:
    """Another page brings it at that moment: it ends as dead, and is whole once it is asked again.

    Whether a blob of before is wanted is not known before its message is handled.
    """
    world = driver.world
    world.site.set(THREE, SimPage(WORD, ()))
    first = await world.fetch(THREE)
    extracted = await held_back(driver, EXTRACTED)
    world.clock.advance(PAUSE_SECONDS)
    await marked(driver)
    await told(driver)
    await handled(driver, PURGED)
    await world.stage.finish(await world.start(COLLECTOR))
    await world.stage.finish(await world.deliver(extracted))
    job = await ended(driver, first)

    assert {THREE: "dead"} == outcomes(job)
    await assert_it_is_back(driver, await world.fetch(THREE), THREE)


async def marked(driver: Driver) -> None:
    """Purges both pages as they are; time goes on."""
    world = driver.world
    mark = world.clock.now()
    selector = PurgeSelector(url_prefixes=("a.example/one", "a.example/deep"))
    command = PurgePages(
        purge_id=PurgeId("purge"), attempt=1, selector=selector, before_time=mark, until_taken=True
    )
    world.forgets = True
    await world.send(command, Lane.NOW)
    await handled(driver, "fetcher-purge_pages-now")
    world.clock.advance(PAUSE_SECONDS)


async def told(driver: Driver) -> None:
    """Lets the fetcher find the pages that are meant, and publish which."""
    world = driver.world
    for _ in range(ROUNDS_MAX):
        actor = await world.stage.start("fetcher:purge", purge_some(world.fetcher))
        await world.stage.finish(actor)
        driver.look_again()
        if actor.task is not None and not actor.task.result():
            return
    raise AssertionError("the fetcher's part of the purge never ended")


async def taken(driver: Driver, durable: str) -> Actor:
    """Works calmly until something comes to a durable, and begins to handle it."""
    stored = await driver.until_durable_is_owed(durable)
    return await driver.world.deliver(stored)


async def held_back(driver: Driver, durable: str) -> Stored:
    """Works calmly until something comes to a durable, and takes it, and its double, away."""
    stored = await driver.until_durable_is_owed(durable)
    bus = driver.world.bus
    bus.owed = [one for one in bus.owed if one.durable != durable]
    return stored


async def handled(driver: Driver, durable: str) -> None:
    """Works calmly until something came to a durable and was handled."""
    await driver.until_durable_is_owed(durable)
    while any(one.durable == durable for one in driver.world.bus.owed):
        await driver.step()


def text_of(stored: Stored) -> str:
    return wire.decode(PageExtracted, stored.data).text.digest


async def assert_it_is_back(driver: Driver, job_id: JobId, url: str) -> None:
    """The page is indexed with its text, which the archive has for as long as it stands."""
    world = driver.world
    job = await ended(driver, job_id)
    for _ in range(ROUNDS_MAX):
        world.clock.advance(DAY_SECONDS)
        await world.stage.finish(await world.start(COLLECTOR))
        await world.stage.finish(await world.start(RETENTION))

    assert {url: "indexed"} == outcomes(job)
    assert (await driver.invariants.texts())[url] is not None
    await driver.invariants.all_is_done()
