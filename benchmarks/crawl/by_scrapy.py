"""Scrapy's side of the crawling benchmark, in a process of its own: the only user of Scrapy.

    python -m benchmarks.crawl.by_scrapy --folder DIR --seeds FILE --concurrency N

Prints a line of JSON when the spider opens and one when it closes.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

from benchmarks.crawl.site import links_of

# Tuned for the work: as many requests as hosts, one at a time to each, nothing that is not used.
SETTINGS: dict[str, Any] = {
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_DELAY": 0,
    "RANDOMIZE_DOWNLOAD_DELAY": False,
    "AUTOTHROTTLE_ENABLED": False,
    "ROBOTSTXT_OBEY": True,
    "COOKIES_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "MEMUSAGE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
    "USER_AGENT": "Scrapy (benchmark)",
    # With asyncio's reactor 2.19 takes everything that is queued for a host at once: whether a
    # place is free it asks before the requests it has just scheduled have taken theirs.
    "TWISTED_REACTOR": "twisted.internet.epollreactor.EPollReactor",
}


class SiteSpider(scrapy.Spider):
    """Keeps every body on disk and follows every link."""

    name = "site"

    def __init__(self, *, seeds: list[str], bodies: Path, **rest: Any) -> None:
        super().__init__(**rest)
        self.seeds = seeds
        self.bodies = bodies
        self.kept = 0

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **rest: Any) -> "SiteSpider":
        spider = super().from_crawler(crawler, *args, **rest)
        crawler.signals.connect(spider.opened, signal=signals.spider_opened)
        crawler.signals.connect(spider.closed_at, signal=signals.spider_closed)
        return spider

    def opened(self) -> None:
        print(json.dumps({"event": "start"}), flush=True)

    def closed_at(self) -> None:
        print(json.dumps({"event": "end", "pages": self.kept}), flush=True)
        # The end is what the parent waits for; it measures, then lets us go.
        sys.stdin.readline()

    async def start(self) -> AsyncIterator[scrapy.Request]:
        for seed in self.seeds:
            yield scrapy.Request(seed)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        digest = hashlib.sha256(response.body).hexdigest()
        folder = self.bodies / digest[:2]
        folder.mkdir(exist_ok=True)
        (folder / digest).write_bytes(response.body)
        self.kept += 1
        for url in links_of(response.body, response.url):
            yield scrapy.Request(url)


def main() -> None:
    """Crawls once."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seeds", type=Path, required=True)
    parser.add_argument("--concurrency", type=int, required=True)
    options = parser.parse_args()
    bodies = options.folder / "bodies"
    bodies.mkdir(parents=True)
    settings = {
        **SETTINGS,
        "CONCURRENT_REQUESTS": options.concurrency,
        "JOBDIR": str(options.folder / "job"),
    }
    print(json.dumps({"event": "settings", **settings}), file=sys.stderr, flush=True)
    process = CrawlerProcess(settings)
    process.crawl(SiteSpider, seeds=options.seeds.read_text().split(), bodies=bodies)
    process.start()


if __name__ == "__main__":
    main()
