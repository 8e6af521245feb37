"""Pages that are as they were: one message for many, and what is not plain comes alone."""

from collections import Counter
from datetime import datetime

from sqlalchemy import select

from scops.change_detector.adapters import tables as change_tables
from scops.common.contract import wire
from scops.common.contract.messages.change import VersionsVerified, VersionUnchanged
from scops.common.contract.messages.crawl import PagesVerified, PageUnmodified
from scops.common.contract.messages.index import HeadsVerified
from scops.indexer.adapters import tables as index_tables
from tests.simulation.driver import Driver
from tests.simulation.seeds import live_each
from tests.simulation.world import World


async def crawled(world: World, driver: Driver) -> Counter[type]:
    """Crawls calmly and returns how many messages of each kind that took."""
    before = len(world.bus.published)
    await world.crawl()
    await driver.calm()
    await driver.invariants.all_is_done()
    return Counter(type(outgoing.message) for outgoing in world.bus.published[before:])


async def verified_times(world: World) -> tuple[dict[str, datetime], dict[str, datetime]]:
    """Returns until when each open page is proved, by its timeline and by its head."""
    run = change_tables.run
    async with world.change_db.reading() as connection:
        runs = (await connection.execute(select(run).order_by(run.c.first_observed))).all()
    async with world.index_db.reading() as connection:
        heads = (await connection.execute(select(index_tables.HEAD))).all()
    shown = {head.page_id: head.verified_time for head in heads if not head.closed}
    return {row.page_id: row.last_observed for row in runs if row.page_id in shown}, shown


async def test_a_crawl_of_what_has_not_changed_needs_no_verdict(seeds: range) -> None:
    """Three messages for many pages, each of which is proved until now, in the index too."""
    await live_each(range(seeds.start, seeds.start + 1), _crawl_again)


async def _crawl_again(world: World) -> None:
    await world.open()
    driver = Driver(world)
    await crawled(world, driver)
    await crawled(world, driver)
    before = await verified_times(world)
    sent = await crawled(world, driver)
    by_timeline, by_head = await verified_times(world)

    assert {} == {kind: sent[kind] for kind in (PageUnmodified, VersionUnchanged) if sent[kind]}
    assert 0 < sent[HeadsVerified] <= sent[VersionsVerified] <= sent[PagesVerified] + 2
    assert by_timeline == by_head
    assert all(by_head[page] > time for page, time in before[1].items())


async def test_what_is_not_plain_comes_alone(seeds: range) -> None:
    """A page whose timeline was lost holds up none of those beside it in the message."""
    await live_each(range(seeds.start, seeds.start + 1), _forgotten)


async def _forgotten(world: World) -> None:
    await world.open()
    driver = Driver(world)
    await crawled(world, driver)
    await crawled(world, driver)
    job_id = await world.crawl()
    durable = "change-detector-pages_verified-bulk"
    (first, *_) = wire.decode(
        PagesVerified, (await driver.until_durable_is_owed(durable)).data
    ).pages
    async with world.change_db.transaction() as connection:
        for table in (
            change_tables.observation,
            change_tables.verdict,
            change_tables.run,
            change_tables.version,
            change_tables.page,
        ):
            await connection.execute(table.delete().where(table.c.page_id == first.page_id))
    before = len(world.bus.published)
    await driver.calm()
    await driver.invariants.all_is_done()
    alone = {
        outgoing.message.page_id
        for outgoing in world.bus.published[before:]
        if isinstance(outgoing.message, PageUnmodified)
    }
    (job,) = await world.fetcher.catalogue.jobs([job_id])
    ended = {row.page_id: row.outcome for row in job.outcomes}

    assert {first.page_id} == alone
    assert ended.pop(first.page_id) == "dead"
    assert "dead" not in ended.values()
