"""robots.txt and sitemaps over HTTP."""

import gzip
import tracemalloc

from scops.common.processes.pool import ChildPool
from scops.fetcher.adapters.child_listings import ChildListings
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.page_source import HttpPageSource
from scops.fetcher.discovery.sitemap import LISTING_BYTES_MAX
from scops.fetcher.politeness.robots import ROBOTS_BYTES_MAX, RobotsKind, robots_policy
from scops.fetcher.ports.page_source import Failed, Fetched, FetchRequest, Redirected, Unmodified
from tests.connected.fetcher_http.conftest import MakeSource
from tests.fakes.page_source import OpenGate
from tests.fakes.servers.hostile import HostileServer
from tests.unit.common.processes.children import limits

MIB = 1024 * 1024
OPEN = OpenGate()


async def test_any_type_and_an_empty_body_are_accepted(
    source: HttpPageSource, server: HostileServer
) -> None:
    """An empty robots.txt is one that allows everything."""
    url = server.answer("/robots.txt", b"", Content_Type="application/octet-stream")

    result = await source.fetch_plain(FetchRequest(url=url), OPEN, limit_bytes=100)

    assert isinstance(result, Fetched)
    assert b"" == result.body


async def test_long_robots_txt_is_cut(source: HttpPageSource, server: HostileServer) -> None:
    """RFC 9309 section 2.5: what stands in the first 500 KiB counts."""
    body = b"User-agent: *\nDisallow: /first\n" + b"# filler\n" * 70_000 + b"Disallow: /last\n"
    url = server.answer("/robots.txt", body, Content_Type="text/plain")

    result = await source.fetch_plain(
        FetchRequest(url=url), OPEN, limit_bytes=ROBOTS_BYTES_MAX, cut=True
    )

    assert isinstance(result, Fetched)
    assert ROBOTS_BYTES_MAX == len(result.body)
    policy = robots_policy(result)
    assert not policy.allowed(f"{server.url}/first", "Scops")
    assert policy.allowed(f"{server.url}/last", "Scops")


async def test_bombed_robots_txt_is_cut(source: HttpPageSource, server: HostileServer) -> None:
    """A bomb is unpacked no further than the cut."""
    body = gzip.compress(b"# filler\n" * (4 * MIB))
    url = server.answer("/robots.txt", body, Content_Encoding="gzip")

    result = await source.fetch_plain(
        FetchRequest(url=url), OPEN, limit_bytes=ROBOTS_BYTES_MAX, cut=True
    )

    assert isinstance(result, Fetched)
    assert ROBOTS_BYTES_MAX == len(result.body)


async def test_gz_sitemap_is_unpacked(source: HttpPageSource, server: HostileServer) -> None:
    """A `.gz` file is unpacked whether or not it is declared as an encoding."""
    packed = gzip.compress(b"<urlset/>")
    as_file = server.answer("/a.xml.gz", packed, Content_Type="application/gzip")
    encoded = server.answer("/b.xml.gz", packed, Content_Encoding="gzip")

    bodies = []
    for url in (as_file, encoded):
        result = await source.fetch_plain(FetchRequest(url=url), OPEN, limit_bytes=1000)
        assert isinstance(result, Fetched)
        bodies.append(result.body)

    assert [b"<urlset/>"] * 2 == bodies


async def test_oversized_sitemap_fails(source: HttpPageSource, server: HostileServer) -> None:
    """Without `cut` the limit is a limit, packed or not."""
    plain = server.answer("/a.xml", b"<urlset>" + b" " * 2000)
    packed = server.answer("/b.xml.gz", gzip.compress(b"<urlset>" + b" " * 2000))

    reasons = []
    for url in (plain, packed):
        result = await source.fetch_plain(FetchRequest(url=url), OPEN, limit_bytes=1000)
        assert isinstance(result, Failed)
        reasons.append(result.reason)

    assert ["BODY_TOO_LARGE"] * 2 == reasons


async def test_redirect_to_another_host_is_handed_back(
    source: HttpPageSource, server: HostileServer
) -> None:
    """RFC 9309 section 2.3.1.2 asks to follow it, which the caller does under that host's clock."""
    elsewhere = f"http://localhost:{server.port}/robots.txt"
    url = server.answer("/robots.txt", status="301 Moved", Location=elsewhere)

    answer = await source.fetch_plain(FetchRequest(url=url), OPEN, limit_bytes=100)

    assert isinstance(answer, Redirected)
    assert elsewhere == answer.target_url


async def test_robots_kind_follows_the_status(
    source: HttpPageSource, server: HostileServer
) -> None:
    """RFC 9309 section 2.3.1: 4xx allows everything, 5xx and silence nothing."""
    kinds = {}
    for status in (200, 204, 401, 403, 404, 410, 429, 500, 503):
        url = server.answer("/robots.txt", b"", status=f"{status} X", Content_Type="text/plain")
        answer = await source.fetch_plain(
            FetchRequest(url=url), OPEN, limit_bytes=ROBOTS_BYTES_MAX, cut=True
        )
        kinds[status] = robots_policy(answer).kind

    everything, nothing = RobotsKind.ALLOW_ALL, RobotsKind.DISALLOW_ALL
    assert {
        200: RobotsKind.RULES,
        204: everything,
        401: everything,
        403: everything,
        404: everything,
        410: everything,
        429: nothing,
        500: nothing,
        503: nothing,
    } == kinds


async def test_more_redirects_than_five_count_as_unavailable(
    source: HttpPageSource, server: HostileServer
) -> None:
    """RFC 9309 section 2.3.1.2: five are followed, then everything is allowed."""
    for number in range(20):
        server.answer(f"/{number}", status="302 Found", Location=f"/{number + 1}")

    answer = await source.fetch_plain(FetchRequest(url=f"{server.url}/0"), OPEN, limit_bytes=100)

    assert isinstance(answer, Failed)
    assert "TOO_MANY_REDIRECTS" == answer.reason
    assert 6 == len(server.requests)
    assert RobotsKind.ALLOW_ALL == robots_policy(answer).kind


async def test_file_as_it_came_last_costs_a_304(
    source: HttpPageSource, server: HostileServer
) -> None:
    """Validators of a sitemap or robots.txt go back to the URL that gave them."""
    target = server.answer("/maps/1.xml", b"<urlset/>", ETag='"v1"')
    url = server.answer("/sitemap.xml", status="302 Found", Location="/maps/1.xml")
    first = await source.fetch_plain(FetchRequest(url=url), OPEN, limit_bytes=100)
    assert isinstance(first, Fetched)
    server.answer("/maps/1.xml", b"", status="304 Not Modified", ETag='"v1"')
    again = await source.fetch_plain(
        FetchRequest(url=url, etag=first.etag, validated_url=first.final_url),
        OPEN,
        limit_bytes=100,
    )

    assert isinstance(again, Unmodified)
    assert target == again.final_url
    sent = ["if-none-match" in request.lower() for request in server.requests[-2:]]
    assert [False, True] == sent


async def test_sitemap_of_50_mib_costs_a_part_of_it(
    make_source: MakeSource, server: HostileServer
) -> None:
    """A few megabytes on the wire: what is kept is bounded, and a child process reads it."""
    lines = b"".join(
        b"https://a.test/%016d/%s\n" % (n * n * 7919, b"x" * 467) for n in range(106_000)
    )
    packed = gzip.compress(lines)
    assert len(lines) > 50 * MIB
    assert len(packed) < 4 * MIB
    del lines
    url = server.answer("/sitemap.txt", packed, Content_Encoding="gzip")
    pool = ChildPool(processes=1, limits=limits())
    tracemalloc.start()
    result = await make_source(limits=HttpLimits()).fetch_plain(
        FetchRequest(url=url), OPEN, limit_bytes=LISTING_BYTES_MAX, cut=True
    )
    assert isinstance(result, Fetched)
    listing = await ChildListings(pool).read(result)
    pages = sum(len(batch) for batch in listing.batches(500))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    await pool.close()

    assert listing.truncated
    assert LISTING_BYTES_MAX // 510 <= pages <= LISTING_BYTES_MAX // 490
    # Its 16 MiB, the frame to the child, and what comes back.
    assert peak_bytes <= 80 * MIB
