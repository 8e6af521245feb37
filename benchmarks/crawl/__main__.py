"""How fast the fetcher crawls, and what a page costs, against Scrapy tuned for the same work.

    python -m benchmarks.crawl [--pages N] [--origin one|many] --json

Two webs on the loopback, in a process of their own: `one_host` (no latency, no delay) and
`many_hosts` (200 addresses, 50 ms before each answer). Both crawlers ask each host for one thing at
a time without a pause, obey robots.txt, take links with the same function, keep what they have
still to do and every body on disk, and begin in an empty folder. Ours syncs bodies, state and
messages to the disk; Scrapy syncs nothing. A crawl is measured from when the crawler, warmed up
and ready, begins it to its end, over the whole process tree; nats-server is in ours.

Keys, for each web:
    pages_per_second_vs_scrapy: pages a second by Scrapy's. Median of the rounds; the two take
        turns.
    memory_vs_scrapy: the largest memory of the process tree (PSS) by Scrapy's.
    cpu_per_page_vs_scrapy: CPU time of the process tree for a page by Scrapy's.
    recrawl_bytes_share: bytes that the origin sent for pages when they were crawled again, 2 % of
        them edited, by those of the first crawl.
    archive_objects_per_page, archive_syncs_per_page: files that our archive began for bodies and
        link lists of first crawls, and how often it waited for the disk, for each page.
The absolute numbers and both configurations go to standard error.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from benchmarks.crawl.site import path_of
from benchmarks.crawl.web import addresses
from benchmarks.shared.child import Child, running_child
from benchmarks.shared.command import command_parser, print_result, progress
from benchmarks.shared.system import process_tree

PAGES = 2000
ROUNDS = 3
# By default.
WORKERS = 8
EDITED_SHARE = 0.02
MEMORY_POLL_SECONDS = 0.25
WEBS = {"one": ("one_host", 1, 0.0), "many": ("many_hosts", 200, 0.05)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCrawl:
    """A crawl and its cost; memory is the largest seen."""

    pages: int
    seconds: float
    cpu_seconds: float
    memory_mb: float
    objects: float = 0.0
    syncs: float = 0.0

    @property
    def pages_per_second(self) -> float:
        return self.pages / self.seconds

    @property
    def cpu_ms_per_page(self) -> float:
        return 1000 * self.cpu_seconds / self.pages

    def __str__(self) -> str:
        return (
            f"{self.pages} pages in {self.seconds:.1f} s, {self.pages_per_second:.0f} a second, "
            f"{self.cpu_ms_per_page:.2f} ms of CPU a page, {self.memory_mb:.0f} MB"
        )


def child(
    module: str, *words: str, environment: dict[str, str] | None = None
) -> AbstractContextManager[Child]:
    """Runs a module of this package while inside."""
    return running_child([sys.executable, "-m", module, *words], environment=environment)


def _measured(crawler: Child) -> MeasuredCrawl:
    """Measures a crawl that begins with the next line and ends with the one after."""
    assert crawler.told()["event"] == "start"
    tree = psutil.Process(crawler.pid)
    cpu, started = process_tree.cpu_seconds(tree), time.perf_counter()
    memory_of_tree = partial(process_tree.memory_mb, tree)
    with process_tree.sampled(memory_of_tree, every_seconds=MEMORY_POLL_SECONDS) as memory:
        ended = crawler.told()
    return MeasuredCrawl(
        pages=ended["pages"],
        seconds=time.perf_counter() - started,
        cpu_seconds=process_tree.cpu_seconds(tree) - cpu,
        memory_mb=max(memory),
        objects=ended.get("objects", 0.0),
        syncs=ended.get("syncs", 0.0),
    )


@dataclass(frozen=True, slots=True)
class RunningWeb:
    """A running origin, and what a crawler is told of it."""

    name: str
    hosts: int
    pages: int
    origin: Child
    seeds: Path

    def sent(self) -> dict[str, Any]:
        """Returns what the origin sent since the last time it was asked."""
        self.origin.tell("stats")
        counts: dict[str, Any] = self.origin.told()
        return counts

    def check(self, crawl: MeasuredCrawl, sent: dict[str, Any], *, at_once_max: int) -> None:
        """Refuses a crawl that missed pages, or asked a host for more things at once.

        Raises:
            SystemExit: it did.
        """
        if crawl.pages != self.hosts * self.pages or sent["at_once_max"] > at_once_max:
            raise SystemExit(f"benchmarks: {self.name}: not the same work: {crawl}, {sent}")


@contextmanager
def _web(kind: str, pages: int, folder: Path) -> Iterator[RunningWeb]:
    name, hosts, latency = WEBS[kind]
    each = max(pages // hosts, 1)
    words = ("--hosts", str(hosts), "--pages", str(each), "--latency", str(latency))
    with child("benchmarks.crawl.web", *words) as origin:
        port = origin.told()["port"]
        seeds = folder / "seeds.txt"
        urls = (f"http://{host}:{port}{path_of(0)}" for host in addresses(hosts))
        seeds.write_text("\n".join(urls))
        yield RunningWeb(name, hosts, each, origin, seeds)


def _crawl_by_scrapy(web: RunningWeb, folder: Path) -> MeasuredCrawl:
    words = ("--folder", str(folder), "--seeds", str(web.seeds), "--concurrency", str(web.hosts))
    with child("benchmarks.crawl.by_scrapy", *words) as crawler:
        crawl = _measured(crawler)
    # Its robots.txt may come beside a page; ours may not.
    web.check(crawl, web.sent(), at_once_max=2)
    return crawl


def _crawl_by_scops(
    web: RunningWeb, folder: Path, *, again: bool
) -> tuple[MeasuredCrawl, float | None]:
    """Crawls, and once more after an edit if asked; returns the share of bytes sent again."""
    settings = {
        "SCOPS_DATA_DIR": str(folder),
        "SCOPS_HEALTH_PORT": "0",
        "SCOPS_LOG_LEVEL": "warning",
        # A worker writes what it has fetched, too; a host is asked for one thing at a time.
        "SCOPS_FETCHER_WORKERS": str(max(web.hosts, WORKERS)),
        "SCOPS_FETCHER_NOW_WORKERS": "1",
        "SCOPS_FETCHER_HOST_DELAY_SECONDS": "0",
        "SCOPS_FETCHER_RESPONSE_FACTOR": "0",
        "SCOPS_FETCHER_ALLOWED_PRIVATE": "127.0.0.0/8:*",
        "SCOPS_FETCHER_LLMS_TXT": "false",
    }
    progress(json.dumps(settings))
    words = ("--seeds", str(web.seeds))
    with child("benchmarks.crawl.by_scops", *words, environment=settings) as crawler:
        assert crawler.told()["event"] == "ready"
        crawler.tell("crawl")
        crawl = _measured(crawler)
        first = web.sent()
        web.check(crawl, first, at_once_max=1)
        if not again:
            return crawl, None
        web.origin.tell(f"edit {EDITED_SHARE}")
        web.origin.told()
        crawler.tell("crawl")
        recrawl, second = _measured(crawler), web.sent()
        web.check(recrawl, second, at_once_max=1)
    progress(f"{web.name}: scops again: {recrawl}; the origin sent {second}")
    return crawl, second["bytes"] / first["bytes"]


def _compared(web: RunningWeb, folder: Path, rounds: int) -> dict[str, float | None]:
    ours: list[MeasuredCrawl] = []
    theirs: list[MeasuredCrawl] = []
    share = None
    for number in range(rounds):
        last = number == rounds - 1
        theirs.append(_crawl_by_scrapy(web, folder / f"scrapy-{number}"))
        progress(f"{web.name}: scrapy: {theirs[-1]}")
        crawl, share = _crawl_by_scops(web, folder / f"scops-{number}", again=last)
        ours.append(crawl)
        progress(f"{web.name}: scops: {crawl}")
    pages = sum(one.pages for one in ours)
    return {
        "pages_per_second_vs_scrapy": _ratio(ours, theirs, lambda crawl: crawl.pages_per_second),
        "memory_vs_scrapy": _ratio(ours, theirs, lambda crawl: crawl.memory_mb),
        "cpu_per_page_vs_scrapy": _ratio(ours, theirs, lambda crawl: crawl.cpu_ms_per_page),
        "recrawl_bytes_share": share and round(share, 4),
        "archive_objects_per_page": round(sum(one.objects for one in ours) / pages, 4),
        "archive_syncs_per_page": round(sum(one.syncs for one in ours) / pages, 3),
    }


def _ratio(
    ours: Sequence[MeasuredCrawl],
    theirs: Sequence[MeasuredCrawl],
    measure: Callable[[MeasuredCrawl], float],
) -> float:
    pairs = zip(ours, theirs, strict=True)
    return round(statistics.median(measure(mine) / measure(other) for mine, other in pairs), 3)


def main() -> None:
    """Runs the benchmark."""
    parser = command_parser(__doc__)
    parser.add_argument("--pages", type=int, default=PAGES, help="of each web, about")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--origin", choices=tuple(WEBS), help="only one of the two webs")
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory(prefix="scops-crawl-") as folder:
        for kind in (options.origin,) if options.origin else WEBS:
            place = Path(folder) / kind
            place.mkdir()
            with _web(kind, options.pages, place) as web:
                found[web.name] = _compared(web, place, options.rounds)
    print_result(found, options)


if __name__ == "__main__":
    main()
