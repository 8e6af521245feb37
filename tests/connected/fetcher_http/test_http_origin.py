"""The page source against the well-behaved origin, as the crawl tests use them together."""

from pathlib import Path

from scops.fetcher.adapters.http.page_source import HttpPageSource
from scops.fetcher.discovery.sitemap import LISTING_BYTES_MAX
from scops.fetcher.discovery.sitemap_parser import parse_sitemap
from scops.fetcher.politeness.robots import ROBOTS_BYTES_MAX, robots_policy
from scops.fetcher.ports.page_source import Fetched, FetchRequest, Gone, PageSource, Unmodified
from tests.fakes.page_source import OpenGate
from tests.fakes.servers.origin import Origin, running

SITE = Path(__file__).parents[3] / "examples" / "site"

OPEN = OpenGate()


def request_again(url: str, earlier: Fetched) -> FetchRequest:
    return FetchRequest(
        url=url,
        etag=earlier.etag,
        last_modified=earlier.last_modified,
        validated_url=earlier.final_url,
    )


async def test_unchanged_page_costs_a_304_and_an_edit_a_200(source: HttpPageSource) -> None:
    """Conditional requests by ETag and by Last-Modified (RFC 9110 section 13)."""
    pages: PageSource = source
    async with Origin([SITE / "edition-1"]) as origin:
        url = f"{origin.url}/faq.html"

        first = await pages.fetch(FetchRequest(url=url), OPEN)
        assert isinstance(first, Fetched)
        by_both = await pages.fetch(request_again(url, first), OPEN)
        by_date = await pages.fetch(FetchRequest(url=url, last_modified=first.last_modified), OPEN)
        origin.replace("/faq.html", "<p>edited")
        edited = await pages.fetch(request_again(url, first), OPEN)

        assert isinstance(by_both, Unmodified)
        assert isinstance(by_date, Unmodified)
        assert isinstance(edited, Fetched)
        assert (b"<p>edited", 2, 2) == (edited.body, origin.count(200), origin.count(304))


async def test_page_without_validators_is_fetched_whole_again(source: HttpPageSource) -> None:
    """A server that offers no validators gets no conditions."""
    async with Origin([SITE / "edition-1"], validators=False) as origin:
        url = f"{origin.url}/"

        first = await source.fetch(FetchRequest(url=url), OPEN)
        assert isinstance(first, Fetched)
        second = await source.fetch(request_again(url, first), OPEN)

        assert isinstance(second, Fetched)
        assert (("", ""), 2) == ((first.etag, first.last_modified), origin.count(200))


async def test_second_edition_lies_over_the_first(source: HttpPageSource) -> None:
    """`examples/site/README.md`: changed pages, removed pages, and the sitemap's origin."""
    async with Origin([SITE / "edition-1", SITE / "edition-2"]) as origin:
        gone = await source.fetch(FetchRequest(url=f"{origin.url}/releases/3-9.html"), OPEN)
        same = await source.fetch(FetchRequest(url=f"{origin.url}/about.html"), OPEN)
        sitemap = await source.fetch_plain(
            FetchRequest(url=f"{origin.url}/sitemap.xml"), OPEN, limit_bytes=LISTING_BYTES_MAX
        )

        assert isinstance(gone, Gone)
        assert isinstance(same, Fetched)
        assert isinstance(sitemap, Fetched)
        listed = {entry.url for entry in parse_sitemap(sitemap.body).pages}
        assert f"{origin.url}/releases/4-3.html" in listed
        assert f"{origin.url}/releases/3-9.html" not in listed


async def test_robots_txt_of_the_example_site_forbids_private(source: HttpPageSource) -> None:
    """Fetching, deciding and matching fit together."""
    async with Origin([SITE / "edition-1"]) as origin:
        answer = await source.fetch_plain(
            FetchRequest(url=f"{origin.url}/robots.txt"),
            OPEN,
            limit_bytes=ROBOTS_BYTES_MAX,
            cut=True,
        )
        policy = robots_policy(answer)

        assert not policy.allowed(f"{origin.url}/private/minutes.html", "Scops")
        assert policy.allowed(f"{origin.url}/faq.html", "Scops")


async def test_origin_logs_who_asked_when(source: HttpPageSource) -> None:
    """Politeness is judged by the origin's log."""
    async with Origin([SITE / "edition-1"]) as origin:
        for path in ("/faq.html", "/missing.html?a=1"):
            await source.fetch(FetchRequest(url=f"{origin.url}{path}"), OPEN)

        assert ["/faq.html", "/missing.html?a=1"] == origin.paths()
        assert (1, 1, 0) == (origin.count(200), origin.count(404), origin.overlaps())
        assert 1 == len(origin.gaps_seconds())
        assert "Scops/9.9" in origin.requests[0].headers["User-Agent"]


async def test_origin_does_not_serve_outside_its_folders(source: HttpPageSource) -> None:
    """A test server on a developer's machine leaks nothing either."""
    async with Origin([SITE / "edition-1"]) as origin:
        answer = await source.fetch(FetchRequest(url=f"{origin.url}/..%2FREADME.md"), OPEN)

        assert isinstance(answer, Gone)


async def test_origin_runs_in_a_thread_for_tests_that_block(source: HttpPageSource) -> None:
    """The origin answers while the test's own loop does not turn."""
    with running(Origin([SITE / "edition-1"])) as origin:
        answer = await source.fetch(FetchRequest(url=f"{origin.url}/faq.html"), OPEN)

    assert isinstance(answer, Fetched)
    assert 1 == origin.count(200)
