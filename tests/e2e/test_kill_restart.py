"""`kill -9` on one machine: what was going on goes on within seconds, and stays polite."""

import asyncio
import time
from collections.abc import Callable
from itertools import pairwise

from aiohttp import web

from scops.api.v1alpha1.job_service_pb2 import Job
from tests.e2e.system import System
from tests.fakes.servers.origin import Logged, Origin, running

PROMPT_SECONDS = 5.0
DELAY_SECONDS = 1.0
PAGES = 14
# In whose answer the machine dies, counted as pages are asked for.
SLOW = 4
ANSWERS_SECONDS = 60.0


def _site(origin: Origin) -> None:
    links = "".join(f'<a href="/page-{n}.html">Page number {n}</a> ' for n in range(PAGES))
    origin.replace("/index.html", f"<html><body><main><p>Pages. {links}</p></main></body></html>")
    for number in range(PAGES):
        text = f"The lighthouse number {number} was built in 18{number + 10} by its keepers."
        origin.replace(f"/page-{number}.html", f"<html><body><p>{text}</p></body></html>")


def _since(origin: Origin, instant: float) -> list[Logged]:
    return [one for one in origin.requests if one.started >= instant]


def test_work_goes_on_within_seconds_of_a_kill(new_system: Callable[..., System]) -> None:
    """Amid a request, with messages in hand: the next request comes, at the host's pace."""
    with running(Origin()) as origin:
        _site(origin)
        asked: list[str] = []

        async def answer(request: web.Request) -> web.StreamResponse:
            asked.append(request.path)
            if len(asked) == SLOW:
                await asyncio.sleep(ANSWERS_SECONDS)
            body = f"<html><body><p>The page {request.path} was built in 1850.</p></body></html>"
            return web.Response(text=body, content_type="text/html")

        for number in range(PAGES):
            origin.handle(f"/page-{number}.html", answer)
        system = new_system(SCOPS_FETCHER_DELAYS=f"127.0.0.0/8={DELAY_SECONDS}").start()
        system.create_scope("all", seeds=[f"{origin.url}/index.html"])
        job = system.start_crawl("all")
        limit = time.monotonic() + 60
        while len(asked) < SLOW and time.monotonic() < limit:
            time.sleep(0.05)
        assert len(asked) == SLOW, "the slow page was never asked for"
        system.kill()
        killed = time.monotonic()
        system.start()
        ready = time.monotonic()
        ended = system.wait_job(job)
        after = _since(origin, killed)
    before = [one for one in origin.requests if one.started < killed]

    assert Job.STATE_COMPLETED == ended.state
    assert after[0].started - ready < PROMPT_SECONDS
    assert after[0].started - killed > DELAY_SECONDS
    assert asked.count(asked[SLOW - 1]) == 2
    starts = sorted(one.started for one in after)
    assert min(second - first for first, second in pairwise(starts)) > DELAY_SECONDS * 0.95
    assert len(before) > 3
