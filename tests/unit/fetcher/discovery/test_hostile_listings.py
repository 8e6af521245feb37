"""Listings that cost whoever reads them: only a child process pays, and the next one is read."""

import asyncio
import time
import tracemalloc
from dataclasses import dataclass, field, replace

import psutil
import pytest

from scops.common.contract.errors import InvalidInput, PermanentError
from scops.common.processes.pool import ChildPool
from scops.fetcher.adapters.child_listings import LISTING_SECONDS, ChildListings
from scops.fetcher.discovery.listing import Listing
from scops.fetcher.discovery.sitemap import LISTING_BYTES_MAX, SITEMAP_URLS_MAX
from tests.fakes.page_source import page_answer
from tests.unit.common.processes.children import MEBIBYTE, limits

SITEMAP, LLMS_TXT = "https://a.example/sitemap.xml", "https://a.example/llms.txt"
HEAD = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
HONEST = HEAD + b"<url><loc>https://a.example/honest</loc></url></urlset>"
# A body of 16 MiB, its frame, and an answer of 16 MiB.
PARENT_BYTES_MAX = 80 * MEBIBYTE
LOOP_SECONDS_MAX = 0.5


def filled(piece: bytes, *, head: bytes = b"", tail: bytes = b"") -> bytes:
    """Returns as many pieces as a listing holds."""
    room = LISTING_BYTES_MAX - len(head) - len(tail)
    return head + piece * (room // len(piece)) + tail


def numbered(form: str, *, head: bytes = b"", tail: bytes = b"") -> bytes:
    """Returns as many pieces with numbers as a listing holds."""
    room = LISTING_BYTES_MAX - len(head) - len(tail)
    count = room // len(form % 9_999_999)
    return head + "".join(form % number for number in range(count)).encode() + tail


def laughs() -> bytes:
    """Returns entities of entities, without a document type that is refused before."""
    entities = "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 12))
    return f'<!DOCTYPE urlset [<!ENTITY l0 "ha">{entities}]><urlset>&l11;</urlset>'.encode()


ITEM = b"<rss><channel><item><link>https://a.example/1</link><description>"
HOSTILE = {
    "text of empty lines": (SITEMAP, lambda: filled(b"\n")),
    "text of junk": (SITEMAP, lambda: filled(b"x\n")),
    "text of short URLs": (SITEMAP, lambda: filled(b"http://a.b/\n")),
    "text of many URLs": (SITEMAP, lambda: numbered("https://a.example/%d\n")),
    "text of one line": (SITEMAP, lambda: filled(b"h")),
    "text of carriage returns": (SITEMAP, lambda: filled(b"\r")),
    "element with attributes": (
        SITEMAP,
        lambda: numbered(' a%d=""', head=b"<urlset><url", tail=b"/></urlset>"),
    ),
    "element with namespaces": (
        SITEMAP,
        lambda: numbered(' xmlns:a%d="b"', head=b"<urlset", tail=b"/>"),
    ),
    "root with attributes and >": (
        SITEMAP,
        lambda: numbered(' a%d=">"', head=b"<urlset", tail=b"/>"),
    ),
    "empty elements": (SITEMAP, lambda: filled(b"<a/>", head=b"<urlset>", tail=b"</urlset>")),
    "empty entries": (SITEMAP, lambda: filled(b"<url/>", head=b"<urlset>", tail=b"</urlset>")),
    "children of an entry": (
        SITEMAP,
        lambda: filled(b"<a/>", head=b"<urlset><url>", tail=b"</url></urlset>"),
    ),
    "element names": (SITEMAP, lambda: numbered("<a%d/>", head=b"<urlset>", tail=b"</urlset>")),
    "deep nesting": (SITEMAP, lambda: filled(b"<a>", head=b"<urlset>")),
    "one long tag": (SITEMAP, lambda: filled(b"a", head=b"<urlset><")),
    "comment": (SITEMAP, lambda: filled(b"-x", head=b"<urlset><!--", tail=b"--></urlset>")),
    "character references": (
        SITEMAP,
        lambda: filled(b"&#97;", head=b"<urlset><url><loc>", tail=b"</loc></url></urlset>"),
    ),
    "laughs": (SITEMAP, laughs),
    "entities by number": (
        SITEMAP,
        lambda: numbered('<!ENTITY e%d "x">', head=b"<!DOCTYPE urlset [", tail=b"]><urlset/>"),
    ),
    "giant entry of a feed": (
        SITEMAP,
        lambda: filled(b"&lt;p&gt;", head=ITEM, tail=b"</description></item></channel></rss>"),
    ),
    "giant CDATA of a feed": (
        SITEMAP,
        lambda: filled(
            b"<p>", head=ITEM + b"<![CDATA[", tail=b"]]></description></item></channel></rss>"
        ),
    ),
    "feed of relative links": (
        SITEMAP + "?" + "x" * 1900,
        lambda: filled(
            b"<item><link>?a</link></item>", head=b"<rss><channel>", tail=b"</channel></rss>"
        ),
    ),
    "UTF-16 of nothing": (SITEMAP, lambda: filled(b"\x00 ", head=b"\xfe\xff\x00<")),
    "llms.txt of brackets": (LLMS_TXT, lambda: filled(b"[")),
    "llms.txt of openings": (LLMS_TXT, lambda: filled(b"](")),
    "llms.txt of labels": (LLMS_TXT, lambda: filled(b"[a](b ")),
    "llms.txt of spaces": (LLMS_TXT, lambda: filled(b" ", head=b"](")),
    "llms.txt of links": (LLMS_TXT, lambda: numbered("[a](/%d)\n")),
}


@dataclass
class Watched:
    """What this process took while something ran: memory at its peak, the loop's longest pause."""

    peak_bytes: int = 0
    pause_seconds: float = 0.0
    _process: psutil.Process = field(default_factory=psutil.Process)

    async def watch(self) -> None:
        """Looks until cancelled."""
        before, seen = self._process.memory_info().rss, time.perf_counter()
        while True:
            await asyncio.sleep(0.005)
            now = time.perf_counter()
            self.pause_seconds = max(self.pause_seconds, now - seen)
            self.peak_bytes = max(self.peak_bytes, self._process.memory_info().rss - before)
            seen = time.perf_counter()


async def read(children: ChildPool, url: str, body: bytes) -> Listing | Exception:
    fetched = replace(page_answer(), final_url=url, body=body)
    try:
        return await ChildListings(children).read(fetched)
    except (InvalidInput, PermanentError) as error:
        return error


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", list(HOSTILE))
async def test_hostile_listing_costs_its_reader_little(name: str) -> None:
    """Memory and pauses of this process stay small, it ends in time, and the next one is read."""
    url, made = HOSTILE[name]
    body = made()
    pool = ChildPool(processes=1, limits=limits())
    assert isinstance(await read(pool, SITEMAP, HONEST), Listing)
    watched = Watched()
    watching = asyncio.create_task(watched.watch())
    tracemalloc.start()
    begun = time.perf_counter()
    found = await read(pool, url, body)
    seconds = time.perf_counter() - begun
    pages = 0
    # The loop stays free while the answer is taken up, too.
    if isinstance(found, Listing):
        for batch in found.batches(500):
            pages += len(batch)
            await asyncio.sleep(0)
    _, traced_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    watching.cancel()
    honest = await read(pool, SITEMAP, HONEST)
    await pool.close()

    assert isinstance(honest, Listing)
    assert ["https://a.example/honest"] == [
        page.url for batch in honest.batches(9) for page in batch
    ]
    assert pages <= SITEMAP_URLS_MAX
    assert traced_bytes <= PARENT_BYTES_MAX
    assert watched.peak_bytes <= PARENT_BYTES_MAX
    assert watched.pause_seconds <= LOOP_SECONDS_MAX
    # A child that crashed is asked once more.
    assert seconds <= 2 * LISTING_SECONDS + 5
