"""Weaviate takes the key's rights back amid a crawl, and gives them again: nothing is buried."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

from scops.api.v1alpha1.search_service_pb2 import SearchRequest
from scops.api.v1alpha1.search_service_pb2_grpc import SearchServiceStub
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin
from tests.fakes.servers.weaviate import WeaviateServer
from tests.fakes.servers.weaviate_users import ALL, READ, WITH_USERS, WeaviateUser
from tests.faults.sites import assert_all_came_in, lamps

PAGES = 60
INDEXED_BEFORE = 10
DELAYS = "127.0.0.0/8=0.2"
# Longer than a message may be in hand without a sign of life.
WITHOUT_SECONDS = 40.0
CALL_SECONDS = 10.0
ADVICE = "Give the key in SCOPS_WEAVIATE_API_KEY its rights back"
OK, UNAVAILABLE = grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE


@dataclass(frozen=True, slots=True)
class Right:
    """How a right is taken and given, and what questions end with in between."""

    take: Callable[[WeaviateUser], None]
    give: Callable[[WeaviateUser], None]
    asked: grpc.StatusCode


def only_reads(user: WeaviateUser) -> None:
    user.give_role(READ)
    user.take_role(ALL)


RIGHTS = {
    "key": Right(WeaviateUser.deactivate, WeaviateUser.activate, asked=UNAVAILABLE),
    "role": Right(
        lambda user: user.take_role(ALL), lambda user: user.give_role(ALL), asked=UNAVAILABLE
    ),
    "writing": Right(only_reads, lambda user: user.give_role(ALL), asked=OK),
}


@pytest.fixture
def site() -> Iterator[Origin]:
    with lamps(PAGES) as origin:
        yield origin


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WeaviateServer]:
    server = WeaviateServer(tmp_path / "weaviate")
    server.environment = WITH_USERS
    server.start()
    try:
        yield server
    finally:
        server.kill()


@pytest.mark.parametrize("name", RIGHTS)
def test_a_right_that_weaviate_takes_back_is_waited_for(
    site: Origin, server: WeaviateServer, tmp_path: Path, name: str
) -> None:
    """Said by readiness, metric and doctor; given again, the crawl goes on where it stood."""
    right, user = RIGHTS[name], WeaviateUser(server, "scops")
    system = System(
        tmp_path / "scops",
        **server.settings,
        SCOPS_WEAVIATE_API_KEY=user.key,
        SCOPS_FETCHER_DELAYS=DELAYS,
    )
    try:
        system.start()
        system.create_scope("lamps", seeds=[f"{site.url}/"])
        job = system.start_crawl("lamps")
        system.until(lambda: system.job(job).job.counts.indexed > INDEXED_BEFORE, seconds=120)

        right.take(user)
        system.until(lambda: "index" in system.problems(), seconds=90)
        told = system.problems()["index"]
        assert ADVICE in told, told
        before = system.job(job).job.counts
        time.sleep(WITHOUT_SECONDS)
        assert right.asked is asked(system)
        assert before.indexed == system.job(job).job.counts.indexed
        assert 0 == system.metric("scops_bus_redelivered_total", consumer="indexer")
        assert system.metric("scops_store_refusals_total", fault="read_only") > 0

        right.give(user)
        assert_all_came_in(system, system.wait_job(job, seconds=180), pages=PAGES)
        done = system.run("reconcile")
        assert (0, 0) == (done.code, done.json["faults"]), done
    finally:
        system.kill()


def asked(system: System) -> grpc.StatusCode:
    """Asks about a page that was indexed before; returns what the caller is told."""
    request = SearchRequest(query="How long does lamp number 1 burn?", scopes=["scopes/lamps"])
    try:
        SearchServiceStub(system.channel).Search(request, timeout=CALL_SECONDS)
    except grpc.RpcError as error:
        return error.code()
    return OK
