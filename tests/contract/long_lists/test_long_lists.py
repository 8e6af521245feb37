"""Lists of any length: databases bound the parameters of a statement, and no caller is to know.

PostgreSQL takes 32,767 of them, SQLite 32,766; each method that takes a list gets more here.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scops.change_detector.adapters.sql_addresses import SqlAddresses
from scops.change_detector.adapters.sql_compaction import SqlCompaction
from scops.change_detector.adapters.sql_purges import SqlPurgeStore
from scops.change_detector.adapters.tables import metadata as change_metadata
from scops.change_detector.timeline.records import LeftBlobs
from scops.common.contract.ids import FetchId, JobId, PageId, ScopeId
from scops.common.contract.messages.crawl import KnownUrlsRequest
from scops.common.contract.messages.types import ScopeRef
from scops.common.contract.service_table import Lane
from scops.common.db.address import Address
from scops.common.db.database import Database
from scops.fetcher.adapters.sql.tables import metadata as fetcher_metadata
from scops.fetcher.ports.fetcher import FetcherPorts
from scops.fetcher.ports.ledger import NewJob
from scops.fetcher.settings import FetcherSettings
from scops.gateway.adapters.sql.jobs import SqlJobs
from scops.gateway.adapters.sql.scopes import SqlScopes
from scops.gateway.adapters.sql.tables import metadata as gateway_metadata
from scops.gateway.ports import JobFilter
from scops.indexer.adapters.sql_index_rows import SqlIndexRows
from scops.indexer.adapters.sql_inventory import SqlInventory
from scops.indexer.adapters.tables import metadata as indexer_metadata
from scops.libraries.index.rows.head_reader import SqlHeadReader
from scops.libraries.index.rows.mirror_reader import SqlMirrorReader
from tests.fakes.servers.postgres_states import PostgresStates
from tests.fakes.worlds.fetcher import FetcherWorld, scope

ITEMS = 40_000
# With ten and more columns each; 40,000 pages take PostgreSQL two minutes.
PAGES = 4_000
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAMES: Sequence[Any] = [f"name-{number}" for number in range(ITEMS)]
URLS = [f"https://a.test/{number}" for number in range(ITEMS)]
Open = Callable[[str], Awaitable[Database]]


@pytest.fixture(params=["memory", "postgresql"])
async def opened(request: pytest.FixtureRequest) -> AsyncIterator[Open]:
    """Opens the empty state of a service."""
    metadata = {
        "fetcher": fetcher_metadata,
        "gateway": gateway_metadata,
        "indexer": indexer_metadata,
        "change_detector": change_metadata,
    }
    databases: list[Database] = []

    async def open_state(name: str) -> Database:
        address: str | Address = "sqlite://"
        if request.param == "postgresql":
            states: PostgresStates = request.getfixturevalue("postgres")
            address = states.address(name)
        database = Database(address, name=name)
        databases.append(database)
        async with database.transaction() as connection:
            await connection.run_sync(metadata[name].create_all)
        return database

    yield open_state
    for database in databases:
        await database.close()


def new_job(name: str = "job", **values: Any) -> NewJob:
    usual: dict[str, Any] = {
        "job_id": JobId(name),
        "organisation_id": "main",
        "access_context": "public",
        "scope": ScopeRef(scope_id=ScopeId("scope"), revision=1),
        "kind": "crawl",
        "lane": Lane.BULK,
        "accepted_time": AT,
        "page_limit": ITEMS,
        "depth_limit": 10,
        "follow_links": True,
        "refused": {},
    }
    return NewJob(**usual | values)


async def fetcher(opened: Open) -> FetcherPorts:
    return FetcherWorld(await opened("fetcher"), FetcherSettings()).ports


@pytest.mark.timeout(300)
async def test_fetcher_refuses_many_urls(opened: Open) -> None:
    """Each is an outcome of its job."""
    ports = await fetcher(opened)
    await ports.ledger.accept(new_job(refused=dict.fromkeys(URLS, "malformed_url")), now=AT)
    (job,) = await ports.catalogue.jobs([JobId("job")])

    assert ITEMS == job.counts.blocked


@pytest.mark.timeout(300)
async def test_fetcher_refuses_many_seeds_outside_of_the_rules(opened: Open) -> None:
    """A scope that is not known holds none of them."""
    ports = await fetcher(opened)
    lists = {"urls": URLS, "robots_urls": URLS, "sitemap_urls": URLS}
    await ports.ledger.accept(new_job(**lists), now=AT)
    (job,) = await ports.catalogue.jobs([JobId("job")])

    assert ITEMS == job.counts.blocked


@pytest.mark.timeout(300)
async def test_fetcher_takes_up_many_seeds(opened: Open) -> None:
    """Each becomes a page, and is found by many prefixes in its order, a part at a time."""
    world = FetcherWorld(await opened("fetcher"), FetcherSettings())
    world.scopes.apply(scope("a.test"))
    named = ScopeRef(scope_id=scope("a.test").scope_id, revision=scope("a.test").revision)
    await world.ports.ledger.accept(new_job(urls=URLS[:PAGES], scope=named), now=AT)
    prefixes = tuple(url.removeprefix("https://") for url in URLS[:1000])
    request = KnownUrlsRequest(prefixes=prefixes, page_size=300)
    first = await world.ports.catalogue.known_urls(request)
    second = await world.ports.catalogue.known_urls(
        replace(request, page_token=first.next_page_token)
    )
    (job,) = await world.ports.catalogue.jobs([*NAMES, JobId("job")])

    assert PAGES == job.counts.open
    found = [page.canonical_url for page in (*first.pages, *second.pages)]
    assert sorted(f"https://{prefix}" for prefix in prefixes)[:600] == found


@pytest.mark.timeout(300)
async def test_fetcher_answers_about_many(opened: Open) -> None:
    """Nothing is known of them."""
    ports = await fetcher(opened)

    assert [] == list(await ports.catalogue.jobs(NAMES))
    assert [] == list(await ports.catalogue.checkable(NAMES))
    assert [] == list(await ports.schedule.risks(NAMES, now=AT))
    request = KnownUrlsRequest(prefixes=tuple(f"a.test/{name}" for name in NAMES))
    assert () == (await ports.catalogue.known_urls(request)).pages
    await ports.schedule.cite(dict.fromkeys(NAMES, 1), event_id=NAMES[0], now=AT)


@pytest.mark.timeout(300)
async def test_gateway_is_asked_by_many_scopes(opened: Open) -> None:
    """An organisation may have more scopes than a statement has parameters."""
    database = await opened("gateway")
    visible = JobFilter(organisation_id="main", owner="ada", scope_ids=tuple(NAMES))

    assert () == tuple(await SqlScopes(database).some("main", NAMES))
    assert () == await SqlJobs(database).newest(visible, before=JobId(""), limit=10)


@pytest.mark.timeout(300)
async def test_index_is_asked_about_many(opened: Open) -> None:
    """Pages, chunks, wordings, versions and vectors."""
    database = await opened("indexer")
    rows, inventory = SqlIndexRows(database), SqlInventory(database)
    heads, mirrors = SqlHeadReader(database), SqlMirrorReader(database)

    assert {} == await heads.heads(NAMES)
    assert {} == await heads.standing(NAMES, AT)
    assert {} == await mirrors.wordings(NAMES)
    assert {key: [] for key in NAMES} == await mirrors.listed(NAMES, limit=2)
    assert [] == list(await inventory.look(NAMES))
    assert {} == await inventory.chunk_rows(NAMES)
    assert {} == await inventory.vectors(NAMES)
    assert {} == await rows.vectors(NAMES, now=AT)
    assert {} == (await rows.page_state(PageId("page"), NAMES[0], NAMES)).intervals
    assert {} == await rows.incarnations(NAMES)
    await rows.note_dropped(NAMES, now=AT)
    await rows.forget_vectors(NAMES)


@pytest.mark.timeout(300)
async def test_change_detector_is_asked_about_many(opened: Open) -> None:
    """Pages and blobs."""
    database = await opened("change_detector")
    purges = SqlPurgeStore(database)

    assert {} == await SqlAddresses(database).urls_of(NAMES)
    assert 0 == await SqlCompaction(database).compact(NAMES, observed_before=AT)
    left = LeftBlobs(
        fetch_id=FetchId("fetch"),
        page_id=PageId("page"),
        observed_time=AT,
        digests=frozenset(NAMES),
    )
    await purges.note_left([left])
    assert {0} == set((await purges.counts(NAMES, before=AT - timedelta(days=1))).values())
