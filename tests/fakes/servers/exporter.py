"""A process that shows metrics of Scops as they are told to be: by our own declarations.

It imports every part of Scops, so that a name, a label or a bucket that no metric has is an error
here as it would be there. `python -m tests.fakes.servers.exporter PORT` serves `/metrics`; a POST
to `/scene` with a list of `Course` objects replaces what goes on. Counters and histograms go on
from what they were.
"""

import asyncio
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from aiohttp import web
from prometheus_client import REGISTRY, Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase

from scops.common.observe.exposition import exposition
from scops.standalone.process.parts import PARTS
from tests.fakes.servers.machine import free_port

STEP_SECONDS = 0.25
START_SECONDS = 60.0
POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Course:
    """What one series does from now on.

    Attributes:
        metric: its declared name.
        value: a gauge stands at it, a histogram observes it.
        per_second: what a counter adds, or how often a histogram observes.
        at_once: the same, once and at once.
    """

    metric: str
    labels: dict[str, str] = field(default_factory=dict)
    value: float = 0.0
    per_second: float = 0.0
    at_once: float = 0.0


@dataclass(frozen=True, slots=True)
class Exporter:
    """A running process."""

    address: str

    def play(self, courses: Sequence[Course]) -> None:
        """Replaces what goes on."""
        body = json.dumps([asdict(course) for course in courses]).encode()
        request = urllib.request.Request(f"http://{self.address}/scene", data=body)
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status == 200


@contextmanager
def exporting(port: int = 0) -> Iterator[Exporter]:
    """Runs the process."""
    port = port or free_port()
    child = subprocess.Popen([sys.executable, "-m", "tests.fakes.servers.exporter", str(port)])
    exporter = Exporter(f"127.0.0.1:{port}")
    try:
        limit = time.monotonic() + START_SECONDS
        while not _answers(exporter):
            assert child.poll() is None, "the exporter ended"
            assert time.monotonic() < limit, "the exporter did not start"
            time.sleep(POLL_SECONDS)
        yield exporter
    finally:
        child.terminate()
        child.wait()


def _answers(exporter: Exporter) -> bool:
    try:
        exporter.play([])
    except (urllib.error.URLError, OSError):
        return False
    return True


def _advance(course: Course, seconds: float) -> None:
    metric = _series(course)
    amount = course.at_once if not seconds else course.per_second * seconds
    if isinstance(metric, Gauge):
        metric.set(course.value)
    elif isinstance(metric, Counter):
        metric.inc(amount)
    else:
        assert isinstance(metric, Histogram), course
        for _ in range(round(amount)):
            metric.observe(course.value)


def _series(course: Course) -> MetricWrapperBase:
    metric = REGISTRY._names_to_collectors[course.metric]
    assert isinstance(metric, MetricWrapperBase)
    return metric.labels(**course.labels) if course.labels else metric


async def _serve(port: int) -> None:
    for part in PARTS:
        part.load()
    courses: list[Course] = []

    async def metrics(request: web.Request) -> web.Response:
        text, content_type = exposition(request.headers.get("Accept", ""))
        return web.Response(body=text, headers={"Content-Type": content_type})

    async def scene(request: web.Request) -> web.Response:
        courses[:] = [Course(**each) for each in await request.json()]
        for course in courses:
            _advance(course, 0.0)
        return web.Response()

    app = web.Application()
    app.router.add_get("/metrics", metrics)
    app.router.add_post("/scene", scene)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    last = time.monotonic()
    while True:
        await asyncio.sleep(STEP_SECONDS)
        now = time.monotonic()
        for course in courses:
            _advance(course, now - last)
        last = now


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
