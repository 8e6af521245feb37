"""Roles apart, killed and restarted amid a crawl: the end is that of an undisturbed one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from scops.common.contract.service_table import Role
from tests.e2e import postgresql_doc as manual
from tests.e2e.index_files import Chunk
from tests.e2e.separate_roles import SMALL_MODEL, SeparateRoles, Servers
from tests.e2e.system import System, metric_of
from tests.e2e.test_postgresql_doc import SCOPE, SHORT_LEASES, create_scope, urls
from tests.fakes.servers.origin import Logged, Origin, running
from tests.fakes.servers.weaviate import WeaviateServer

pytestmark = pytest.mark.long

DELAY_SECONDS = 0.3
# So that pages are left when the ninth process has come back, on a busy machine too.
DELAY_BETWEEN_KILLS_SECONDS = 0.8
REDELIVERED = "scops_bus_redelivered_total"
# A clock of ours and one of the origin are not read at the same moment.
TOLERANCE_SECONDS = 0.05
PAGES_BETWEEN = 2
# Requests of a crawl beside its pages.
BESIDE = ("/robots.txt", "/llms.txt")
SETTINGS = {
    **SHORT_LEASES,
    # A machine that is busy with fourteen processes is slow, and no page is to blame.
    "SCOPS_EXTRACTOR_PAGE_SECONDS": "60",
    "SCOPS_GRACEFUL_TIMEOUT_SECONDS": "45",
}


@dataclass(frozen=True, slots=True)
class Reference:
    """What an undisturbed crawl in one process leaves."""

    urls: list[tuple[str, int]]
    chunks: list[Chunk]


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    with running(Origin([manual.root()])) as origin:
        yield origin


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, origin: Origin) -> Reference:
    folder = tmp_path_factory.mktemp("reference")
    with System(folder, SCOPS_EMBEDDER=SMALL_MODEL) as system:
        create_scope(system, origin)
        system.crawl(SCOPE)
        return Reference(urls(system.heads()), system.chunks_by_url())


@pytest.fixture
def weaviate(tmp_path: Path) -> Iterator[WeaviateServer]:
    """A Weaviate that may be killed."""
    server = WeaviateServer(tmp_path / "weaviate").start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture
def new_roles(tmp_path: Path, servers: Servers) -> Iterator[Callable[..., SeparateRoles]]:
    """Makes systems of separate roles, and ends them."""
    systems: list[SeparateRoles] = []

    def make(
        name: str,
        servers: Servers = servers,
        replicas: int = 1,
        delay_seconds: float = DELAY_SECONDS,
    ) -> SeparateRoles:
        settings = SETTINGS | {"SCOPS_FETCHER_DELAYS": f"127.0.0.0/8={delay_seconds}"}
        systems.append(SeparateRoles(tmp_path / name, servers, replicas=replicas, **settings))
        return systems[-1]

    yield make
    for system in systems:
        system.kill()


class Watched:
    """A crawl that somebody disturbs: something is done each time it has got a bit further."""

    def __init__(self, system: SeparateRoles, origin: Origin) -> None:
        self._system = system
        create_scope(system, origin)
        origin.clear_log()
        self._name = system.start_crawl(SCOPE)
        self._seen = 0
        self.disturbances = 0

    def disturb(self, act: Callable[[], None]) -> None:
        """Waits until some pages more are done, then acts; the crawl must not have ended."""
        wanted = self._seen + PAGES_BETWEEN
        self._system.until(lambda: self._done() >= wanted)
        assert self._system.job(self._name).job.counts.open
        self._seen = self._done()
        self.disturbances += 1
        act()

    def end(self) -> Job:
        """Waits for the end."""
        return self._system.wait_job(self._name)

    def _done(self) -> int:
        return self._system.job(self._name).job.counts.indexed


def test_kill_9_of_everything_changes_nothing_about_the_result(
    new_roles: Callable[..., SeparateRoles],
    servers: Servers,
    weaviate: WeaviateServer,
    origin: Origin,
    reference: Reference,
) -> None:
    """Each role, nats-server and Weaviate die in turn: the job ends, and nothing is missing."""
    system = new_roles(
        "killed",
        Servers(servers.postgres, weaviate.settings),
        delay_seconds=DELAY_BETWEEN_KILLS_SECONDS,
    ).start()
    crawl = Watched(system, origin)

    def kill(role: Role) -> None:
        for process in system.of(role):
            system.kill_process(process)
            system.start_process(process)

    def restart(server: object) -> None:
        server.kill()  # type: ignore[attr-defined]
        server.start()  # type: ignore[attr-defined]

    for role in Role:
        crawl.disturb(lambda role=role: kill(role))  # type: ignore[misc]
    # Last, for the crawl goes on while these take seconds to come back.
    crawl.disturb(lambda: restart(system.nats))
    crawl.disturb(lambda: restart(weaviate))
    job = crawl.end()

    assert Job.STATE_COMPLETED == job.state
    assert set(system.outcomes(job).values()) <= {("indexed", ""), ("unchanged", "")}
    assert reference.urls == urls(system.heads())
    reconciled = system.run("reconcile")
    assert 0 == reconciled.code, reconciled.err
    assert reference.chunks == system.chunks_by_url()
    assert_all_found(system)
    assert_polite(origin.requests, DELAY_BETWEEN_KILLS_SECONDS)
    assert len(origin.requests) <= manual.PAGE_LIMIT + len(BESIDE) + crawl.disturbances
    system.wait_ready()
    assert {0} == set(system.stop())


def test_a_rolling_restart_amid_a_crawl_redelivers_nothing(
    new_roles: Callable[..., SeparateRoles], origin: Origin, reference: Reference
) -> None:
    """Two of each, stopped gracefully one after the other: no message is delivered twice."""
    system = new_roles("rolled", replicas=2).start()
    crawl = Watched(system, origin)
    codes: list[int] = []
    redelivered = 0.0

    def replace(role: Role) -> None:
        nonlocal redelivered
        process = system.of(role)[0]
        redelivered += metric_of(process.health_url, REDELIVERED)
        codes.append(system.stop_process(process))
        system.start_process(process)

    for role in (Role.FETCHER, Role.EXTRACTOR, Role.CHANGE_DETECTOR, Role.INDEXER):
        crawl.disturb(lambda role=role: replace(role))  # type: ignore[misc]
    job = crawl.end()
    system.wait_ready()

    assert {0} == set(codes)
    assert Job.STATE_COMPLETED == job.state
    assert {("indexed", "")} == set(system.outcomes(job).values())
    assert 0 == redelivered + system.metric(REDELIVERED)
    assert reference.urls == urls(system.heads())
    assert reference.chunks == system.chunks_by_url()
    # The control of the test above: without a crash nothing is missing either way.
    assert_all_found(system)
    assert_polite(origin.requests, DELAY_SECONDS)
    assert manual.PAGE_LIMIT + len(BESIDE) == len(origin.requests)
    # Nothing but addresses: no role has made a folder of its own.
    assert not system.nowhere.exists()


def assert_all_found(system: SeparateRoles) -> None:
    """Every chunk that a head lists is found by id, by its words and by its vector."""
    found = system.find_all()

    assert found.listed
    assert ([], [], []) == (found.missing_by_id, found.missing_by_words, found.missing_by_vector)


def assert_polite(requests: list[Logged], delay_seconds: float) -> None:
    """The host never saw two requests at once, nor two closer than its delay."""
    ordered = sorted(requests, key=lambda one: one.started)
    gaps = [later.started - earlier.ended for earlier, later in pairwise(ordered)]

    assert len(gaps) >= manual.PAGE_LIMIT
    assert min(gaps) >= delay_seconds - TOLERANCE_SECONDS
