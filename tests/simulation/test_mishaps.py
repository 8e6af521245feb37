"""Named cases of failures, crashes and messages that come twice or never."""

import pytest
from sqlalchemy import select

from scops.common.contract.messages.change import VersionAdded
from scops.common.contract.service_table import Role
from scops.fetcher.adapters.sql.recrawl import schedule_tables
from tests.simulation.driver import Driver
from tests.simulation.scenes import FRONT, ONE, TWO, crawled, ended, outcomes, versions


async def test_a_failed_extraction_is_tried_again_though_the_page_is_unchanged(
    driver: Driver,
) -> None:
    """Validators of a fetch count only once it is indexed: the next crawl gets a body."""
    world = driver.world
    world.parser.failing.add(ONE)
    first = await crawled(driver)
    second = await crawled(driver)

    assert outcomes(first)[ONE] == "dead"
    assert outcomes(second)[ONE] == "indexed"


async def test_a_failed_indexing_is_tried_again_though_the_page_is_unchanged(
    driver: Driver,
) -> None:
    """The same, one stage later: the indexer's messages of this page are poison once."""
    world = driver.world
    key = (Role.INDEXER, VersionAdded)
    handler = world._handlers[key]

    async def broken(message: object, cause: object) -> list[object]:
        raise RuntimeError("told to fail")

    world._handlers[key] = broken
    first = await crawled(driver)
    world._handlers[key] = handler
    second = await crawled(driver)

    assert outcomes(first)[ONE] == "dead"
    assert outcomes(second)[ONE] == "indexed"


async def test_a_crash_between_head_and_publish_repeats_the_same_answer(driver: Driver) -> None:
    """The redelivery finds the equal key and publishes the same event with the same id."""
    world = driver.world
    await world.crawl()
    stored = await driver.until_durable_is_owed("indexer-version_added-bulk")
    actor = await world.deliver(stored)
    while actor.effect != "publish VersionIndexed":
        await world.stage.resume(actor)
    await world.stage.crash(actor)
    world.clock.advance(60)
    job = await ended(driver, world.jobs[0])

    assert set(outcomes(job).values()) == {"indexed", "blocked"}


async def test_a_late_redelivery_after_closing_changes_nothing(driver: Driver) -> None:
    """Every message of a finished job comes once more."""
    world = driver.world
    job = await crawled(driver)
    counts = await world.store.count()
    for outgoing in list(world.bus.published):
        world.bus._seen.clear()
        await world.bus.publish(outgoing)
    again = await ended(driver, world.jobs[0])

    assert job.counts == again.counts
    assert counts == await world.store.count()
    for url in (FRONT, ONE, TWO):
        assert len(await versions(world, url)) == 1


async def test_a_poison_message_ends_in_the_dead_letters(driver: Driver) -> None:
    """One dead letter, one dead page, and everything else goes on."""
    world = driver.world
    world.site.pages[ONE].poison = True
    job = await crawled(driver)

    letters = {letter.dead_letter_id for letter in world.bus.dead_letters}
    assert len(letters) == 1
    assert world.bus.dead_letters[0].consumer == "extractor-page_fetched-bulk"
    assert outcomes(job)[ONE] == "dead"
    assert outcomes(job)[TWO] == "indexed"


async def test_a_deleted_durable_loses_nothing(driver: Driver) -> None:
    """What only this durable was owed is published again from the archive."""
    world = driver.world
    job_id = await world.crawl()
    await driver.until_durable_is_owed("change-detector-page_extracted-bulk")
    world.bus.delete_durable("change-detector-page_extracted-bulk")
    job = await ended(driver, job_id)

    assert set(outcomes(job).values()) == {"indexed", "blocked"}
    assert any(getattr(outgoing.message, "attempt", 0) > 1 for outgoing in world.bus.published)


async def test_lost_links_leave_no_job_open(driver: Driver) -> None:
    """What was extracted reaches the index and not the fetcher: the links are asked for again."""
    world = driver.world
    job_id = await world.crawl()
    await driver.until_durable_is_owed("fetcher-page_extracted-bulk")
    world.bus.delete_durable("fetcher-page_extracted-bulk")
    job = await ended(driver, job_id)

    assert set(outcomes(job).values()) == {"indexed", "blocked"}
    assert TWO in outcomes(job)


@pytest.mark.parametrize(
    "durable",
    [
        "extractor-page_fetched-bulk",
        "change-detector-page_extracted-bulk",
        "fetcher-page_extracted-bulk",
        "indexer-version_added-bulk",
        "fetcher-version_indexed-bulk",
    ],
)
async def test_a_lost_bus_leaves_no_job_open(driver: Driver, durable: str) -> None:
    """Everything that was on its way is gone at once, whoever was owed it."""
    world = driver.world
    job_id = await world.crawl()
    await driver.until_durable_is_owed(durable)
    world.bus.owed.clear()
    world.bus._seen.clear()
    job = await ended(driver, job_id)

    assert set(outcomes(job).values()) == {"indexed", "blocked"}


async def test_duplicates_of_outbox_and_inbox_count_once(driver: Driver) -> None:
    """The relay publishes a row twice, the consumer sees a verdict three times: one effect."""
    world = driver.world
    await world.crawl()
    actor = await world.start("fetcher:relay")
    for _ in range(3):
        await driver.step()
    if actor in world.stage.actors and "puback" in actor.effect:
        await world.stage.crash(actor)
    job = await ended(driver, world.jobs[0])
    for outgoing in list(world.bus.published):
        world.bus._seen.clear()
        await world.bus.publish(outgoing)
    await driver.calm()
    async with world.fetcher_db.reading() as connection:
        rows = (await connection.execute(select(schedule_tables.schedule))).all()

    assert job.counts.indexed == sum(row.observed_count for row in rows)
    assert {row.observed_count for row in rows} <= {0, 1}
