"""Weaviate hangs amid a crawl, every connection open: no page is buried, no caller waits on it."""

import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from scops.api.v1alpha1.search_service_pb2 import SearchRequest
from scops.api.v1alpha1.search_service_pb2_grpc import SearchServiceStub
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin
from tests.fakes.servers.weaviate import WeaviateServer
from tests.faults.sites import assert_all_came_in, lamps

PAGES = 60
INDEXED_BEFORE = 10
DELAYS = "127.0.0.0/8=0.2"
# Longer than a message may be in hand without a sign of life, and than any call to the store.
HANGING_SECONDS = 75.0
CALL_SECONDS = 10.0
# When the caller has heard at the latest.
TOLD_SECONDS_MAX = 11.0
CLEAR = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


@pytest.fixture
def site() -> Iterator[Origin]:
    with lamps(PAGES) as origin:
        yield origin


def test_a_weaviate_that_hangs_is_waited_for(
    site: Origin, weaviate: WeaviateServer, tmp_path: Path
) -> None:
    """Questions meanwhile end by their deadline with what is wrong; the crawl goes on after it."""
    system = System(tmp_path / "scops", **weaviate.settings, SCOPS_FETCHER_DELAYS=DELAYS)
    try:
        system.start()
        system.create_scope("lamps", seeds=[f"{site.url}/"])
        job = system.start_crawl("lamps")
        system.until(lambda: system.job(job).job.counts.indexed > INDEXED_BEFORE, seconds=120)
        told, seconds = [], []
        with weaviate.hanging():
            until = time.monotonic() + HANGING_SECONDS
            while time.monotonic() < until:
                started = time.monotonic()
                told.append(_asked(system))
                seconds.append(time.monotonic() - started)
                time.sleep(1.0)
            assert system.is_alive()
            assert system.job(job).job.counts.dead == 0

        assert_all_came_in(system, system.wait_job(job, seconds=240), pages=PAGES)
        assert set(told) <= set(CLEAR), told
        assert max(seconds) < TOLD_SECONDS_MAX
        done = system.run("reconcile")
        assert (0, 0) == (done.code, done.json["faults"]), done
    finally:
        system.kill()


def _asked(system: System) -> grpc.StatusCode:
    """Asks as a client does that waits ten seconds."""
    request = SearchRequest(query="How long does lamp number 1 burn?", scopes=["scopes/lamps"])
    try:
        SearchServiceStub(system.channel).Search(request, timeout=CALL_SECONDS)
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK
