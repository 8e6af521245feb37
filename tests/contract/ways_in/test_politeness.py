"""What a host sees of us, by each way: one request at a time, with its pause between any two."""

import asyncio

from scops.common.contract.messages.crawl import PageFetched
from scops.fetcher.ports.fetcher import FetcherPorts
from tests.contract.ways_in.conftest import OpenWay
from tests.contract.ways_in.ways import SETTINGS, Way
from tests.fakes.clock import PassingClock
from tests.fakes.fetcher_steps import StepKind, fetch_next

PAUSE_SECONDS = 0.1
PAGES = ("/a", "/b", "/c")


async def test_a_host_is_asked_politely(open_way: OpenWay, name: str) -> None:
    """By two workers at once, for pages, what they redirect to, their parts and robots.txt."""
    settings = SETTINGS.model_copy(
        update={"host_delay_seconds": PAUSE_SECONDS, "response_factor": 0.0}
    )
    way = await open_way(name, settings=settings, clock=PassingClock())
    urls = [way.put(path, f"Page {path}") for path in PAGES]
    way.origin.redirect("/d", "/a", 302)
    await way.world.fetch(*urls, way.url("/d"), job_id="job")
    async with asyncio.timeout(100):
        await asyncio.gather(*(work(way, ports) for ports in (way.world.ports, other(way))))
    paths = way.origin.paths()

    assert len(PAGES) + 1 == len(await way.world.events(PageFetched))
    assert {"/robots.txt", "/d", *PAGES, *map(way.text_path, PAGES)} == set(paths)
    assert 0 == way.origin.overlaps()
    assert min(way.origin.gaps_seconds()) >= PAUSE_SECONDS


def other(way: Way) -> FetcherPorts:
    """Another process on the same state."""
    return way.world.new_ports(seed=1)


async def work(way: Way, ports: FetcherPorts) -> None:
    """Fetches until nothing is left, waiting for what is."""
    while True:
        step = await fetch_next(ports)
        if step.kind is not StepKind.IDLE:
            continue
        if step.next_time is None:
            return
        left = (step.next_time - way.world.clock.now()).total_seconds()
        # A lease that another holds is looked at when it would run out.
        await way.world.clock.sleep(min(max(left, 0.01), 0.05))
