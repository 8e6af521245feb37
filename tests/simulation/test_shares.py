"""A stage that is behind holds crawls back, each site by its share, and holds back no person."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import select

from scops.common.contract.service_table import Role
from scops.fetcher.adapters.sql import tables as fetcher_tables
from tests.simulation.driver import Driver
from tests.simulation.scenes import ended, is_page, outcomes
from tests.simulation.site import HOSTS, SimPage
from tests.simulation.world import World, prefix

PENDING_MAX = 6
PAGES = 20
STILL_ROUNDS = 80
PAUSE_SECONDS = 2.0
# The longest that a message is under way.
DELIVERY_SECONDS = 5.0


@pytest.fixture(params=range(6))
async def driver(request: pytest.FixtureRequest) -> AsyncIterator[Driver]:
    """A world of two sites of many pages, in which a stage is soon behind."""
    world = World(request.param)
    world.pending_max = PENDING_MAX
    await world.open()
    for host in HOSTS:
        for leaf in leaves_of(host):
            world.site.set(leaf, SimPage("alpha", ()))
        front = world.site.pages[f"{host}/"]
        world.site.set(f"{host}/", SimPage(front.text, (*front.links, *leaves_of(host))))
    yield Driver(world)
    await world.close()


async def test_a_site_that_is_behind_holds_back_no_other_site_and_no_person(
    driver: Driver,
) -> None:
    """While nothing moves downstream the other one is crawled, and somebody who waits is served."""
    world = driver.world
    big, small = HOSTS
    world.scope(prefix(big.removeprefix("http://")))
    crawls = [await world.crawl()]
    while await waiting(world) < PAGES // 2:
        await driver.step()
    while world.stage.actors:
        await world.stage.finish(world.stage.actors[0])
    await stand_still(world)
    # Of twenty that wait.
    assert world.bus.pending(Role.EXTRACTOR) <= PENDING_MAX + 1

    world.scope(*(prefix(host.removeprefix("http://")) for host in HOSTS))
    crawls.append(await world.crawl())
    seen = {url for _, url, _ in world.site.answers}
    unseen = next(url for url in leaves_of(big) if url not in seen)
    person = await world.fetch(unseen)
    await world.stage.finish(await world.start("gateway:relay"))
    world.clock.advance(DELIVERY_SECONDS)
    for stored in world.bus.deliverable(roles=frozenset({Role.FETCHER})):
        await world.stage.finish(await world.deliver(stored))
    asked_before = len(world.site.answers)
    await stand_still(world)
    asked = [url for _, url, _ in world.site.answers[asked_before:] if is_page(url)]
    assert {f"{small}/", unseen} == set(asked)

    for job_id in (*crawls, person):
        job = await ended(driver, job_id)
        assert {"indexed", "blocked", "unchanged"} >= set(outcomes(job).values())


def leaves_of(host: str) -> list[str]:
    return [f"{host}/leaf-{number}" for number in range(PAGES)]


async def stand_still(world: World) -> None:
    """Lets fetchers work and publish for a while in which no message is delivered."""
    for _ in range(STILL_ROUNDS):
        world.clock.advance(PAUSE_SECONDS)
        await world.follow_time()
        await world.stage.finish(await world.start("fetcher:worker"))
        await world.stage.finish(await world.start("fetcher:relay"))


async def waiting(world: World) -> int:
    """Returns how many entries wait to be fetched."""
    async with world.fetcher_db.reading() as connection:
        return len((await connection.execute(select(fetcher_tables.queue))).all())
