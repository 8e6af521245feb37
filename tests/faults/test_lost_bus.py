"""The bus of one machine loses its files amid a crawl: cut off in their midst, or gone.

Also the projection of scopes is lost with them, or the end of it.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

PAGES = 60


@pytest.fixture
def site() -> Iterator[Origin]:
    with running(Origin()) as origin:
        links = "".join(f'<a href="/{n}.html">Lamp {n}</a> ' for n in range(PAGES))
        origin.replace("/", f"<html><body><h1>Lamps</h1><p>{links}</p></body></html>")
        for n in range(PAGES):
            text = f"<p>Lamp number {n} burns for {n + 100} hours before its oil is used up.</p>"
            origin.replace(f"/{n}.html", f"<html><body><h1>Lamp {n}</h1>{text}</body></html>")
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
        ended = system.wait_job(job, seconds=300)
        assert Job.STATE_COMPLETED == ended.state
        others = {one for one in system.outcomes(ended).values() if one[0] != "indexed"}
        assert not others, others
        assert PAGES + 1 == ended.counts.indexed
        answer = system.ask(f"How many hours does lamp number {PAGES - 1} burn?", "lamps")
        assert f"{PAGES + 99} hours" in answer.citations[0].quote
    finally:
        system.kill()
