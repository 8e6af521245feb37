"""A fetcher that is killed amid a page, by each way: the next one takes it once again."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from aiohttp import web

from scops.common.contract.messages.crawl import PageFetched
from scops.common.runtime.holder import Holder
from tests.contract.ways_in.ways import BROWSER, HTTP, Way

DEATH_SECONDS = 60.0


@pytest.mark.parametrize("heir", [True, False], ids=["same folder", "another machine"])
async def test_a_page_whose_fetcher_died_is_taken_once_again(
    way: Way, tmp_path: Path, heir: bool
) -> None:
    """At once where it is known to be dead, else when its lease has run out; nothing is twice."""
    url, path = way.put("/a", "Herons eat fish."), way.text_path("/a")
    body, asked, dead = way.origin.body(path), asyncio.Event(), asyncio.Event()

    async def stuck_once(_: web.Request) -> web.StreamResponse:
        if not asked.is_set():
            asked.set()
            await dead.wait()
        return web.Response(body=body, content_type="text/html")

    way.origin.handle(path, stuck_once)
    await way.world.fetch(url, job_id="job")
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.contract.ways_in.crashing"),
        *(BROWSER if way.shown else HTTP, str(tmp_path / "fetcher.db"), url.split("/")[2]),
    )
    async with asyncio.timeout(DEATH_SECONDS):
        await asked.wait()
    os.kill(child.pid, signal.SIGKILL)
    await child.wait()
    dead.set()
    holder = Holder(tmp_path / "fetcher.holder")
    if heir:
        await holder.enter()
    way.world.ports = way.world.new_ports(seed=1, holder=holder)
    inherited = await way.world.ports.frontier.inherit(now=way.world.clock.now())
    events = await way.world.run()
    holder.leave()

    assert int(heir) == inherited
    assert [url] == [one.canonical_url for one in events if isinstance(one, PageFetched)]
    assert {url: "indexed"} == await way.world.outcomes("job")
    assert 2 == way.origin.count(path="/a") == way.origin.count(path=path)
