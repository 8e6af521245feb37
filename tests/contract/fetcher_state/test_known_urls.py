"""Pages below a domain in every fetcher state, also those that an earlier release left."""

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import select, update

from scops.common.contract.messages.crawl import KnownUrlsRequest
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.fetcher import queries
from scops.fetcher.adapters.sql import tables
from scops.fetcher.adapters.sql.pages.known_urls import reversed_host
from scops.fetcher.adapters.sql.recrawl.schedule_tables import schedule
from scops.fetcher.settings import FetcherSettings
from scops.fetcher.upkeep import index_hosts
from tests.fakes.page_source import page_answer
from tests.fakes.worlds.fetcher import FetcherWorld, scope

HOSTS = (
    "a-b.test",
    "a.test",
    "a.test:8080",
    "ab.a.test",
    "b.a.test",
    "b.a.test:8080",
    "c.b.a.test",
    "da.test",
)
URLS = [f"https://{host}/{path}" for host in HOSTS for path in ("", "x?y=1", "z")]
page = tables.page


@pytest.fixture
async def database(address: str | Address) -> AsyncIterator[Database]:
    database = Database(address, name="fetcher")
    async with database.transaction() as connection:
        await connection.run_sync(tables.metadata.create_all)
    yield database
    await database.close()


@pytest.fixture
async def world(database: Database) -> FetcherWorld:
    assert schedule.metadata is tables.metadata
    world = FetcherWorld(database, FetcherSettings(host_delay_seconds=0.0))
    for url in URLS:
        world.source.serve(url, page_answer(url))
    world.scopes.apply(scope(*HOSTS))
    await world.fetch(*URLS)
    return world


async def known(world: FetcherWorld, *prefixes: str, page_size: int) -> list[str]:
    urls: list[str] = []
    request = KnownUrlsRequest(prefixes=prefixes, page_size=page_size)
    for _ in range(2 * len(URLS)):
        answer = await queries.known_urls(request, world.ports)
        urls += [page.canonical_url for page in answer.pages]
        if not answer.next_page_token:
            return urls
        request = KnownUrlsRequest(
            prefixes=prefixes, page_size=page_size, page_token=answer.next_page_token
        )
    raise AssertionError("the list does not end")


def below(*domains: str) -> list[str]:
    suffixes = tuple(f".{domain}" for domain in domains)
    urls = [url for url in URLS if url.split("/")[2].endswith(suffixes)]
    return sorted(urls, key=lambda url: url.removeprefix("https://"))


async def lose_hosts(database: Database, *, of: str) -> None:
    """Leaves pages of some hosts as an earlier release does."""
    async with database.transaction() as connection:
        old = page.c.netloc.endswith(of)
        await connection.execute(update(page).where(old).values(reversed_host=None))


@pytest.mark.parametrize("page_size", [1, 4, 100])
@pytest.mark.parametrize("domain", ["a.test", "b.a.test", "test", "a.test:8080", "x.test"])
async def test_domain_holds_every_host_below_it(
    world: FetcherWorld, domain: str, page_size: int
) -> None:
    """In the order of URLs, not of hosts, and without the domain itself; a port is part of it."""
    assert below(domain) == await known(world, f"*.{domain}", page_size=page_size)


@pytest.mark.parametrize("page_size", [2, 100])
async def test_pages_without_a_reversed_host_are_found(
    world: FetcherWorld, database: Database, page_size: int
) -> None:
    """Those of an earlier release are, beside others, before and after the loop came to them."""
    await lose_hosts(database, of="b.a.test")
    before = await known(world, "*.a.test", "*.test:8080", page_size=page_size)
    await index_hosts(world.ports)
    async with database.reading() as connection:
        rows = (await connection.execute(select(page.c.netloc, page.c.reversed_host))).all()

    assert below("a.test", "test:8080") == before
    assert before == await known(world, "*.a.test", "*.test:8080", page_size=page_size)
    assert {(host, reversed_host(host)) for host in HOSTS} == {tuple(row) for row in rows}


async def test_hosts_are_indexed_some_at_a_time(world: FetcherWorld, database: Database) -> None:
    """A batch says whether there may be more, and the last one that there are not."""
    await lose_hosts(database, of="")

    assert [True, False] == [await world.ports.catalogue.index_hosts(limit=16) for _ in range(2)]
