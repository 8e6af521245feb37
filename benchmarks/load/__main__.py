"""What people who ask notice of a crawl and a backlog, and what a long load leaves behind.

    python -m benchmarks.load [--data DIR] [--seconds N] [--pages N] [--backlog N] --json

`scops up` has crawled a folder of HTML files from a local origin. Eight clients ask through the
gateway, and again a second after each answer, first of the idle system. Then messages are put on
the bus, a sentence is put into every page before each crawl of the site, one crawl after the
other, a person has a page fetched every five seconds, and the same clients go on asking.

Keys:
    search_p95_ratio: 95th percentile of a search under load by that of the idle system;
        `search_p95_ms`, `search_p50_ms`, and `idle_p95_ms`, `idle_p50_ms` the figures.
    memory_slope_mib_per_minute: of the process tree (PSS) over the last half of the load, by
        least squares; `memory_mib` at its end.
    jobs_accepted, jobs_ended: crawls and fetches, waited for after the load for
        `settle_seconds`; `jobs_left` is the difference, `jobs_failed` those that did not complete,
        `jobs_refused` those that were not accepted within 20 s.
    searches, searches_failed: asked under load, and those without an answer within 20 s, which
        count with that time.
    pages_indexed: pages of all jobs that were indexed anew.
    backlog, backlog_left: messages that waited when the load began, and when it ended.
"""

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.embed import DEFAULT_DATA
from benchmarks.load.asking import LIMIT, RECIPE, Asked, asking, questions_of
from benchmarks.load.backlog import publish_backlog, waiting
from benchmarks.load.work import Work, working
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.figures import percentile
from benchmarks.shared.system.client import Client
from benchmarks.shared.system.html_pages import SEED, read_pages
from benchmarks.shared.system.origin import Origin
from benchmarks.shared.system.process_tree import MEGABYTE, sampled
from benchmarks.shared.system.system import System
from scops.common.config.settings import MEBIBYTE, CommonSettings
from scops.common.observe.log import configure_logging

SECONDS = 600.0
IDLE_SHARE, IDLE_SECONDS_MIN = 0.1, 15.0
PAGES = 300
BACKLOG = 50_000
SCOPE = "load"
# Questions before those that are timed.
WARM_UP = 30
SAMPLE_SECONDS = 2.0
PROGRESS_SECONDS = 30.0
SECONDS_PER_MINUTE = 60.0
# Seconds since the load began, and MiB.
Memory = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Load:
    """What was measured.

    Attributes:
        idle, loaded: the questions asked of the idle system, and under load.
        memory: of the process tree under load, in the order of time.
        backlog: messages that waited when the load began, and when it ended.
    """

    idle: Asked
    loaded: Asked
    memory: Sequence[Memory]
    work: Work
    backlog: tuple[int, int]

    def figures(self) -> dict[str, Any]:
        """Returns the figures that the module's docstring names."""
        half = self.memory[len(self.memory) // 2 :]
        idle, loaded = self.idle.seconds, self.loaded.seconds
        return {
            "search_p95_ratio": round(percentile(loaded, 95) / percentile(idle, 95), 2),
            "search_p95_ms": _milliseconds(loaded, 95),
            "search_p50_ms": _milliseconds(loaded, 50),
            "idle_p95_ms": _milliseconds(idle, 95),
            "idle_p50_ms": _milliseconds(idle, 50),
            "memory_slope_mib_per_minute": round(slope_per_minute(half), 2),
            "memory_mib": round(self.memory[-1][1], 1),
            "jobs_accepted": len(self.work.jobs),
            "jobs_ended": self.work.ended,
            "jobs_left": len(self.work.jobs) - self.work.ended,
            "jobs_failed": self.work.failed,
            "jobs_refused": self.work.refused,
            "settle_seconds": round(self.work.settle_seconds, 1),
            "searches": len(loaded),
            "searches_failed": self.loaded.failed,
            "pages_indexed": self.work.pages_indexed,
            "backlog": self.backlog[0],
            "backlog_left": self.backlog[1],
        }


def main() -> None:
    parser = command_parser(__doc__, data="folder of HTML files", default=DEFAULT_DATA)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long the load lasts")
    parser.add_argument("--pages", type=int, default=PAGES, help="pages of the site")
    parser.add_argument("--backlog", type=int, default=BACKLOG, help="messages that wait")
    args = parser.parse_args()
    configure_logging(CommonSettings.load())
    pages = read_pages(args.data, limit=args.pages)
    load = measure(pages, seconds=args.seconds, backlog=args.backlog)
    print_result(load.figures(), args)


def measure(pages: dict[str, bytes], *, seconds: float, backlog: int) -> Load:
    """Returns how a system does that crawls a site, and is asked, behind a backlog.

    Args:
        pages: bodies by path.
        seconds: how long the load lasts.
        backlog: messages put on the bus before it.
    """
    origin, questions = Origin(pages), questions_of(pages, random.Random(SEED))
    with tempfile.TemporaryDirectory(prefix="scops-load-") as scratch:
        system = System(Path(scratch))
        common = CommonSettings(data_dir=system.folder / "data")
        with origin.running(), system.running(), Client(system.address) as client:
            client.create_scope(SCOPE, origin)
            client.wait(SCOPE, client.start_crawl(SCOPE))
            progress(f"{len(pages)} pages are indexed")
            for question in questions[:WARM_UP]:
                client.search(SCOPE, question, LIMIT, recipe=RECIPE)
            with asking(system.address, SCOPE, questions[WARM_UP:]) as idle:
                time.sleep(max(IDLE_SECONDS_MIN, IDLE_SHARE * seconds))
            progress(f"idle: p95 {_milliseconds(idle.seconds, 95)} ms")
            asyncio.run(publish_backlog(common, backlog))
            waited = asyncio.run(waiting(common))
            started = time.monotonic()

            def memory() -> Memory:
                return time.monotonic() - started, system.memory_mb() * MEGABYTE / MEBIBYTE

            with (
                working(system.address, SCOPE, origin) as work,
                asking(system.address, SCOPE, questions) as loaded,
                sampled(memory, every_seconds=SAMPLE_SECONDS) as samples,
            ):
                _wait(seconds, work, loaded, samples)
            left = asyncio.run(waiting(common))
            progress(f"the load ends: {left} messages and {work.left} jobs are left")
            work.settle(client)
    return Load(idle, loaded, samples, work, (waited, left))


def slope_per_minute(samples: Sequence[Memory]) -> float:
    """Returns by how many MiB a minute memory grows, by least squares."""
    times, values = zip(*samples, strict=True)
    return SECONDS_PER_MINUTE * statistics.linear_regression(times, values).slope


def _wait(seconds: float, work: Work, asked: Asked, samples: Sequence[Memory]) -> None:
    """Waits for the end of the load, and tells how it goes."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, PROGRESS_SECONDS))
        if asked.seconds and samples:
            p95 = _milliseconds(asked.seconds, 95)
            progress(
                f"{max(left - PROGRESS_SECONDS, 0):.0f} s left: p95 {p95} ms, "
                f"{samples[-1][1]:.0f} MiB, {len(work.jobs)} jobs"
            )


def _milliseconds(seconds: Sequence[float], percent: int) -> float:
    return round(1000 * percentile(seconds, percent), 1)


if __name__ == "__main__":
    main()
