"""Weaviate crosses its disk limit amid a crawl: it is said, waited for, and nothing is buried.

Needs the right to mount a tmpfs; `make faults`.
"""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.system import System
from tests.fakes.servers.machine import small_disk
from tests.fakes.servers.origin import Origin
from tests.fakes.servers.weaviate import WeaviateServer
from tests.faults.sites import assert_all_came_in, lamps

PAGES = 60
INDEXED_BEFORE = 10
DISK_MEBIBYTES = 512
READONLY_PERCENT = 60
FILLED_PERCENT = 70
# Longer than a message may be in hand without a sign of life.
REFUSING_SECONDS = 40.0
ADVICE = "Make room, then restart Weaviate"
DELAYS = "127.0.0.0/8=0.2"


@pytest.fixture
def site() -> Iterator[Origin]:
    with lamps(PAGES) as origin:
        yield origin


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk for Weaviate's data."""
    folder = tmp_path / "weaviate"
    folder.mkdir()
    with small_disk(folder, mebibytes=DISK_MEBIBYTES):
        yield folder


@pytest.fixture
def server(disk: Path) -> Iterator[WeaviateServer]:
    server = WeaviateServer(disk)
    server.environment = {"DISK_USE_READONLY_PERCENTAGE": str(READONLY_PERCENT)}
    server.start()
    try:
        yield server
    finally:
        server.kill()


def fill(disk: Path) -> Path:
    """Takes room until the disk is beyond the limit; returns the file that takes it."""
    usage = shutil.disk_usage(disk)
    filler = disk / "filler"
    filler.write_bytes(b"\0" * (usage.total * FILLED_PERCENT // 100 - usage.used))
    return filler


def test_a_weaviate_over_its_disk_limit_is_waited_for(
    site: Origin, server: WeaviateServer, disk: Path, tmp_path: Path
) -> None:
    """Read-only amid a crawl: said by readiness, metric and doctor; with room it goes on."""
    system = System(tmp_path / "scops", **server.settings, SCOPS_FETCHER_DELAYS=DELAYS)
    try:
        system.start()
        system.create_scope("lamps", seeds=[f"{site.url}/"])
        job = system.start_crawl("lamps")
        system.until(lambda: system.job(job).job.counts.indexed > INDEXED_BEFORE, seconds=120)
        filler = fill(disk)
        system.until(lambda: "index" in system.problems(), seconds=90)
        told = {system.problems()["index"], index_finding(system)["text"]}
        before = system.job(job).job.counts.indexed
        assert not index_finding(system)["ok"]
        assert all("disk usage too high" in one and ADVICE in one for one in told), told
        assert system.metric("scops_store_refusals_total", fault="read_only") > 0
        assert system.ask("How many hours does lamp number 1 burn?", "lamps").citations

        time.sleep(REFUSING_SECONDS)
        assert before == system.job(job).job.counts.indexed
        assert 0 == system.metric("scops_bus_redelivered_total")

        filler.unlink()
        server.stop()
        server.start()
        assert_all_came_in(system, system.wait_job(job, seconds=180), pages=PAGES)
        done = system.run("reconcile")
        assert (0, 0) == (done.code, done.json["faults"]), done
    finally:
        system.kill()


def index_finding(system: System) -> dict[str, Any]:
    """Returns what the doctor says of the index."""
    findings = system.run("doctor", "--no-measure").json
    return next(dict(one) for one in findings if one["name"] == "index")
