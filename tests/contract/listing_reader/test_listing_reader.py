"""A `ListingReader`, in a child process or where it is asked: both read the same."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.processes.pool import ChildPool
from scops.fetcher.adapters.child_listings import ChildListings
from scops.fetcher.discovery.sitemap import LISTING_BYTES_MAX, SignalKind, SitemapEntry
from scops.fetcher.ports.files import ListingReader
from scops.fetcher.ports.page_source import Fetched
from tests.fakes.listings import InlineListings
from tests.fakes.page_source import page_answer
from tests.unit.common.processes.children import limits

URL = "https://a.example/sitemap.xml"


@pytest.fixture(params=["child", "inline"])
async def reader(request: pytest.FixtureRequest) -> AsyncIterator[ListingReader]:
    """Each reader there is."""
    pool = ChildPool(processes=1, limits=limits())
    yield ChildListings(pool) if request.param == "child" else InlineListings()
    await pool.close()


def answer(body: str, url: str = URL) -> Fetched:
    return replace(page_answer(body), final_url=url)


async def test_pages_come_in_batches_with_their_times(reader: ListingReader) -> None:
    """In their order, without what tracks a visitor; the latest time is known without them."""
    entries = "".join(
        f"<url><loc>https://a.example/{day}?utm_source=x</loc><lastmod>2026-01-0{day}</lastmod></url>"
        for day in (2, 3, 1)
    )
    listing = await reader.read(answer(f"<urlset>{entries}</urlset>"))
    batches = list(listing.batches(2))

    assert [2, 1] == [len(batch) for batch in batches]
    first = SitemapEntry("https://a.example/2", datetime(2026, 1, 2, tzinfo=UTC))
    assert first == batches[0][0]
    assert datetime(2026, 1, 3, tzinfo=UTC) == listing.latest
    assert listing.speaks_of_later(datetime(2026, 1, 2, tzinfo=UTC))
    assert not listing.truncated


async def test_index_names_listings(reader: ListingReader) -> None:
    """An index has no pages."""
    entry = "<sitemap><loc>https://a.example/s1</loc></sitemap>"
    listing = await reader.read(answer(f"<sitemapindex>{entry}</sitemapindex>"))

    assert (("https://a.example/s1",), []) == (listing.sitemaps, list(listing.batches(9)))


async def test_feed_is_another_signal(reader: ListingReader) -> None:
    """What a feed says of times is believed otherwise than what a sitemap says."""
    item = "<item><link>https://a.example/1</link></item>"
    listing = await reader.read(answer(f"<rss><channel>{item}</channel></rss>"))

    assert SignalKind.FEED is listing.kind


async def test_llms_txt_is_known_by_its_url(reader: ListingReader) -> None:
    """Its links are resolved against it."""
    listing = await reader.read(answer("# A\n- [b](/b)\n", "https://a.example/llms.txt"))

    assert ["https://a.example/b"] == [page.url for batch in listing.batches(9) for page in batch]


async def test_listing_that_was_cut_off_ends_with_a_whole_line(reader: ListingReader) -> None:
    """Half a line names a page that is none."""
    line = "https://a.example/" + "x" * 1_000 + "\n"
    body = ("\n" * LISTING_BYTES_MAX)[: LISTING_BYTES_MAX - 1500] + line + line
    listing = await reader.read(answer(body[:LISTING_BYTES_MAX]))

    assert listing.truncated
    assert [line.strip()] == [page.url for batch in listing.batches(9) for page in batch]


async def test_anything_else_is_no_listing(reader: ListingReader) -> None:
    """It says so, and the next one is read."""
    with pytest.raises(InvalidInput) as caught:
        await reader.read(answer("<html>no sitemap</html>"))

    assert "INVALID_SITEMAP" == caught.value.reason
    assert [] == list((await reader.read(answer("<urlset/>"))).batches(9))
