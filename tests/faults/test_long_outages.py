"""A store is away for hours of a process's time: work goes on where it stood, nothing is lost.

Scops and PostgreSQL run on a clock that the test moves (libfaketime); nats-server and Weaviate
keep the machine's.
"""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.index_servers import IndexServers
from tests.e2e.system import System
from tests.fakes.servers.moved_clock import MovedClock, moved_clock
from tests.fakes.servers.origin import Origin
from tests.fakes.servers.postgres import PostgresServer, postgres_server
from tests.fakes.servers.weaviate import WeaviateServer
from tests.faults.sites import assert_all_came_in, lamps

PAGES = 40
INDEXED_BEFORE = 5
# What was under way when a store went away is over by then.
QUIET_SECONDS = 6.0
DELAYS = "127.0.0.0/8=0.3"
Stores = dict[str, PostgresServer | WeaviateServer]


@pytest.fixture
def site() -> Iterator[Origin]:
    with lamps(PAGES) as origin:
        yield origin


@pytest.fixture
def clock() -> Iterator[MovedClock]:
    with moved_clock() as clock:
        yield clock


@pytest.fixture
def postgres(clock: MovedClock) -> Iterator[PostgresServer]:
    with postgres_server(durable=True, environment=clock.environment) as server:
        yield server


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("away", "hours"), [("weaviate", 1.5), ("weaviate", 5.0), ("postgres", 5.0)]
)
def test_hours_without_a_store_lose_nothing(
    site: Origin,
    clock: MovedClock,
    postgres: PostgresServer,
    weaviate: WeaviateServer,
    tmp_path: Path,
    away: str,
    hours: float,
) -> None:
    """Killed amid a crawl and away for hours: the job ends, each chunk is found in three ways."""
    stores: Stores = {"weaviate": weaviate, "postgres": postgres}
    url = postgres.new_database()
    system = System(
        tmp_path / "scops",
        **weaviate.settings,
        **clock.environment,
        SCOPS_DATABASE_URL=url,
        SCOPS_FETCHER_DELAYS=DELAYS,
    )
    try:
        system.start()
        system.create_scope("lamps", seeds=[f"{site.url}/"])
        job = system.start_crawl("lamps")
        system.until(lambda: system.job(job).job.counts.indexed > INDEXED_BEFORE)
        stores[away].kill()
        if away == "weaviate":
            system.until(lambda: len(site.requests) > PAGES)
        time.sleep(QUIET_SECONDS)
        clock.pass_hours(hours)
        assert system.is_alive()
        stores[away].start()

        assert_all_came_in(system, system.wait_job(job, seconds=300), pages=PAGES)
        index = IndexServers(
            postgres, url.rpartition("/")[2], weaviate.settings, system.organisation_id
        )
        found = index.find_all()
        assert PAGES < found.listed
        assert ([], [], []) == (
            found.missing_by_id,
            found.missing_by_words,
            found.missing_by_vector,
        )
    finally:
        system.kill()
