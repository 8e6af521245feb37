"""The bus of one machine loses its files amid a crawl: cut off in their midst, or gone.

Also the projection of scopes is lost with them, or the end of it.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system import System
from tests.fakes.servers.origin import Origin
from tests.faults.sites import assert_all_came_in, lamps

PAGES = 60


@pytest.fixture
def site() -> Iterator[Origin]:
    with lamps(PAGES) as origin:
        yield origin


@pytest.mark.parametrize("loss", ["cut", "gone"])
def test_a_crawl_whose_bus_lost_its_files_ends(site: Origin, tmp_path: Path, loss: str) -> None:
    """Killed in its midst, with the store of nats-server cut off or gone: every page comes in."""
    system = System(tmp_path)
    try:
        system.start()
        system.create_scope("lamps", seeds=[f"{site.url}/"])
        job = system.start_crawl("lamps")
        system.until(lambda: system.job(job).job.counts.indexed > PAGES // 4, seconds=60)
        system.kill()
        # The server ends itself when it finds that its parent is gone.
        system.until(lambda: not list((system.data / "nats").rglob("*.ports")), seconds=30)
        if loss == "gone":
            shutil.rmtree(system.data / "nats")
        else:
            for file in (system.data / "nats").rglob("*.blk"):
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        system.start()
        assert_all_came_in(system, system.wait_job(job, seconds=300), pages=PAGES)
    finally:
        system.kill()
