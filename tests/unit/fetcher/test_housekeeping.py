"""Housekeeping keeps up with arrival, in small batches, and keeps what is still needed."""

from datetime import timedelta

from sqlalchemy import insert, update

from scops.common.contract.messages.crawl import PageFetched
from scops.common.db.locks import FORGOTTEN_AT_ONCE
from scops.fetcher import upkeep
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.ledger.forgetting import JOBS_KEPT
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ROOT = "https://a.test/"
MANY = 12_000


async def copies(world: FetcherWorld, table: object, key: str, count: int) -> None:
    """Repeats the only row of a table under other keys."""
    (row,) = await world.rows(table)
    kept = dict(row._mapping)
    async with world.database.transaction() as connection:
        rows = [{**kept, key: f"{key}-{number}"} for number in range(count)]
        for start in range(0, count, 400):
            await connection.execute(insert(table), rows[start : start + 400])  # type: ignore[arg-type]


async def test_everything_due_is_forgotten_in_one_round(world: FetcherWorld) -> None:
    """However much has come since the last round; no transaction drops more than a batch."""
    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("")))
    await world.fetch(ROOT)
    await world.run()
    await copies(world, tables.fetch, "fetch_id", MANY)
    await copies(world, tables.job, "job_id", 700)
    dropped = []
    inner = world.ports.ledger.forget

    async def counted(**values: object) -> bool:
        before = len(await world.rows(tables.fetch))
        more = await inner(**values)  # type: ignore[arg-type]
        dropped.append(before - len(await world.rows(tables.fetch)))
        return more

    world.ports.ledger.forget = counted  # type: ignore[method-assign, assignment]
    world.clock.advance((JOBS_KEPT + timedelta(days=1)).total_seconds())
    await upkeep.forget_due(world.ports)

    assert [] == await world.rows(tables.fetch)
    assert [] == await world.rows(tables.job)
    assert [] == await world.rows(tables.job_page)
    assert FORGOTTEN_AT_ONCE == max(dropped)


async def test_the_newest_crawl_of_a_scope_is_kept(world: FetcherWorld) -> None:
    """The next crawl looks at its pages again; older ones are forgotten with their rows."""
    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("")))
    for name in ("old", "new"):
        await world.crawl(name)
        await world.run()
        world.clock.advance(10)
    world.clock.advance((JOBS_KEPT + timedelta(days=1)).total_seconds())
    await upkeep.forget_due(world.ports)

    assert ["new"] == [row.job_id for row in await world.rows(tables.job)]
    assert {"new"} == {row.job_id for row in await world.rows(tables.job_page)}


async def test_a_fetch_is_kept_while_a_job_waits_for_its_links(world: FetcherWorld) -> None:
    """Its event is what is published again, however old it is."""
    world.scopes.apply(scope("a.test", seeds=world.source.serve_pages("")))
    await world.crawl()
    await world.steps()
    await world.index(await world.event(PageFetched))
    world.clock.advance(timedelta(days=30).total_seconds())
    await upkeep.forget_due(world.ports)

    assert 1 == len(await world.rows(tables.fetch))


async def test_a_host_that_nobody_asks_for_is_forgotten(world: FetcherWorld) -> None:
    """With its robots.txt; one with something queued is kept, and an old one comes back."""
    world.scopes.apply(scope("a.test", "b.test", seeds=world.source.serve_pages("")))
    await world.fetch(ROOT)
    await world.run()
    world.clock.advance(timedelta(days=100).total_seconds())
    await world.fetch(*world.source.serve_pages("", host="b.test"), job_id="other")
    async with world.database.transaction() as connection:
        long_ago = world.clock.now() - timedelta(days=95)
        await connection.execute(update(tables.robots).values(expires_time=long_ago))
    await upkeep.forget_due(world.ports)
    left = [row.host_key for row in await world.hosts()]
    await world.fetch(ROOT, job_id="again")
    await world.run()

    assert ["b.test"] == left
    assert {ROOT: "unchanged"} == await world.outcomes("again")
