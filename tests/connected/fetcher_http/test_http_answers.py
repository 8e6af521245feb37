"""Statuses, validators, headers and redirects."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from scops.common.egress.address import AddressPolicy, parse_allowed_ranges
from scops.fetcher.adapters.http.page_source import HttpPageSource
from scops.fetcher.ports.page_source import (
    Failed,
    Fetched,
    FetchRequest,
    Gone,
    Redirect,
    Redirected,
    Unmodified,
)
from tests.connected.fetcher_http.asking import failed, fetch
from tests.connected.fetcher_http.conftest import MakeSource
from tests.fakes.clock import START
from tests.fakes.page_source import OpenGate
from tests.fakes.servers.hostile import HostileServer


async def test_request_says_who_asks_and_for_what(
    source: HttpPageSource, server: HostileServer
) -> None:
    """The request names product and contact, prefers Markdown, and carries no cookie."""
    await fetch(source, server.answer("/", b"<p>x", Set_Cookie="a=b"))
    await fetch(source, f"{server.url}/")

    request = server.request("/")
    assert "User-Agent: Scops/9.9 (+https://example.org/bot)\r\n" in request
    assert "Accept: text/markdown, text/html;q=0.9" in request
    assert "Accept-Encoding: gzip, deflate, br, zstd\r\n" in request
    assert "cookie" not in request.lower()
    assert "If-" not in request


async def test_cookies_are_never_sent(make_source: MakeSource, server: HostileServer) -> None:
    """What one answer sets goes back to nobody: not to its host, not to another, not by a hop."""
    allowed = AddressPolicy(allowed=parse_allowed_ranges("127.0.0.1/32:*,::1/128:*"))
    source = make_source(addresses=allowed)
    server.answer("/end", b"<p>x")
    url = server.answer(
        "/set", status="302 Found", Location="/end", Set_Cookie="id=1; Domain=127.0.0.1; Path=/"
    )
    await fetch(source, url)
    await fetch(source, f"http://localhost:{server.port}/end")

    assert 3 == len(server.requests)
    assert not any("cookie" in request.lower() for request in server.requests)


async def test_path_is_requested_as_it_is_written(
    source: HttpPageSource, server: HostileServer
) -> None:
    """A canonical URL is not quoted again on the way."""
    path = "/a%2Fb/%7Ec;d?x=%20y&z=1+2"
    server.answer(path, b"<p>x")

    assert isinstance(await fetch(source, f"{server.url}{path}"), Fetched)


async def test_validators_and_headers_of_an_answer_are_returned(
    source: HttpPageSource, server: HostileServer
) -> None:
    """What later requests and the extractor need comes back, raw where it is sent again."""
    url = server.answer(
        "/",
        b"<p>x",
        ETag='W/"abc"',
        Last_Modified="Tue, 02 Jan 2024 03:04:05 GMT",
        Content_Language="de",
        X_Robots_Tag="noarchive",
    )

    result = await fetch(source, url)

    assert isinstance(result, Fetched)
    assert ('W/"abc"', "Tue, 02 Jan 2024 03:04:05 GMT") == (result.etag, result.last_modified)
    assert datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC) == result.last_modified_time
    assert ("de", "noarchive") == (result.content_language, result.robots_tag)
    assert (url, ()) == (result.final_url, result.redirects)
    assert 0 < result.response_seconds < 1


async def test_headers_that_are_not_ascii_become_valid_text(
    source: HttpPageSource, server: HostileServer
) -> None:
    """A header may hold any byte; a message may hold only Unicode, a request only ASCII."""
    url = server.answer(
        "/", b"<p>x", ETag='"\xe9"', Content_Language="fran\xe7ais", Last_Modified="gest\xe9rn"
    )

    result = await fetch(source, url)

    assert isinstance(result, Fetched)
    result.content_language.encode()
    assert ("", "", None) == (result.etag, result.last_modified, result.last_modified_time)


async def test_unmodified_answers_a_request_with_validators(
    source: HttpPageSource, server: HostileServer
) -> None:
    """RFC 9110 section 13.1: the stored validators are sent back as they came."""
    url = server.answer("/", status="304 Not Modified")

    result = await fetch(source, url, etag='W/"abc"', last_modified="Tue, 02 Jan 2024 03:04:05 GMT")

    assert isinstance(result, Unmodified)
    assert 'If-None-Match: W/"abc"\r\n' in server.request("/")
    assert "If-Modified-Since: Tue, 02 Jan 2024 03:04:05 GMT\r\n" in server.request("/")


async def test_unmodified_may_renew_the_validators(
    source: HttpPageSource, server: HostileServer
) -> None:
    """RFC 9111 section 3.2: what a 304 brings takes the place of what was stored."""
    date = "Wed, 03 Jan 2024 03:04:05 GMT"
    renewed = server.answer("/", status="304 Not Modified", ETag='"2"', Last_Modified=date)
    damaged = server.answer("/x", status="304 Not Modified", Last_Modified="lately")

    results = [await fetch(source, url, etag='"1"') for url in (renewed, damaged)]

    found = [(r.etag, r.last_modified) for r in results if isinstance(r, Unmodified)]
    assert [('"2"', date), ("", "")] == found


async def test_unmodified_without_validators_fails(
    source: HttpPageSource, server: HostileServer
) -> None:
    """A 304 that nothing asked for confirms nothing."""
    result = await failed(source, server.answer("/", status="304 Not Modified"))

    assert "UNEXPECTED_NOT_MODIFIED" == result.reason


async def test_validators_go_only_to_the_url_that_gave_them(
    source: HttpPageSource, server: HostileServer
) -> None:
    """Another hop's 304 would confirm a text that is not the page's."""
    server.answer("/new", status="304 Not Modified")
    url = server.answer("/old", status="301 Moved Permanently", Location="/new")

    to_old = await fetch(source, url, etag='"a"')
    to_new = await fetch(source, url, etag='"a"', validated_url=f"{server.url}/new")

    assert isinstance(to_old, Failed)
    assert isinstance(to_new, Unmodified)
    assert ("UNEXPECTED_NOT_MODIFIED", f"{server.url}/new") == (to_old.reason, to_new.final_url)


async def test_validator_that_would_break_the_request_is_not_sent(
    source: HttpPageSource, server: HostileServer
) -> None:
    """A stored validator with a line break must not become a header of its own."""
    await fetch(source, server.answer("/", b"<p>x"), etag='"a"\r\nX-Evil: 1')

    assert "Evil" not in server.request("/")


@pytest.mark.parametrize("status", [404, 410])
async def test_missing_page_is_gone(
    source: HttpPageSource, server: HostileServer, status: int
) -> None:
    """404 and 410 say the same of a page."""
    result = await fetch(source, server.answer("/", b"no", status=f"{status} No"))

    assert isinstance(result, Gone)
    assert status == result.status


@pytest.mark.parametrize(
    ("status", "retryable", "host_fault"),
    [
        (204, False, False),
        (206, False, False),
        (300, False, False),
        (401, False, False),
        (403, False, False),
        (408, True, False),
        (451, False, False),
        (500, True, False),
        (502, True, True),
        (503, True, True),
        (999, False, False),
    ],
)
async def test_other_statuses_fail_by_their_number(
    source: HttpPageSource,
    server: HostileServer,
    status: int,
    retryable: bool,
    host_fault: bool,
) -> None:
    """Every other status has an outcome that says whether to try again."""
    result = await failed(source, server.answer("/", status=f"{status} X"))

    assert f"HTTP_{status}" == result.reason
    assert (status, retryable, host_fault) == (result.status, result.retryable, result.host_fault)


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        ("120", 120.0),
        (format_datetime(START + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(START - timedelta(seconds=90), usegmt=True), 0.0),
        ("soon", None),
        ("-5", None),
        ("9" * 5000, None),
    ],
)
async def test_retry_after_is_read_in_both_forms(
    source: HttpPageSource, server: HostileServer, retry_after: str, seconds: float | None
) -> None:
    """RFC 9110 section 10.2.3: seconds or a date; anything else counts as not sent."""
    url = server.answer("/", status="429 Too Many Requests", Retry_After=retry_after)

    result = await failed(source, url)

    assert ("HTTP_429", seconds, True) == (
        result.reason,
        result.retry_after_seconds,
        result.host_fault,
    )


async def test_redirect_on_the_same_host_is_followed_after_a_pause(
    source: HttpPageSource, server: HostileServer
) -> None:
    """The gate admits each hop, and is entered for each request."""
    server.answer("/c", b"<p>x")
    server.answer("/b", status="302 Found", Location="c#part")
    url = server.answer("/a", status="308 Permanent Redirect", Location="/b")
    gate = OpenGate()

    result = await source.fetch(FetchRequest(url=url), gate)

    assert isinstance(result, Fetched)
    assert [f"{server.url}/b", f"{server.url}/c"] == gate.asked
    assert [url, *gate.asked] == gate.requests
    assert f"{server.url}/c" == result.final_url
    assert (
        Redirect(url=f"{server.url}/b", permanent=True),
        Redirect(url=f"{server.url}/c", permanent=False),
    ) == result.redirects


async def test_refused_hop_is_not_requested(source: HttpPageSource, server: HostileServer) -> None:
    """robots.txt holds for a redirect's target."""
    url = server.answer("/a", status="302 Found", Location="/private")

    result = await source.fetch(FetchRequest(url=url), OpenGate(admitted=False))

    assert isinstance(result, Failed)
    assert "REDIRECT_DENIED" == result.reason
    assert 1 == len(server.requests)


async def test_redirect_to_another_host_is_handed_back(
    source: HttpPageSource, server: HostileServer
) -> None:
    """Another host has a clock of its own, which this fetch does not hold."""
    server.answer("/b", status="301 Moved", Location="https://www.example.org/x")
    url = server.answer("/a", status="302 Found", Location="/b")

    result = await fetch(source, url)

    assert isinstance(result, Redirected)
    assert ("https://www.example.org/x", False) == (result.target_url, result.permanent)
    assert 2 == len(result.redirects)


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://user:secret@host.example/",
        "http://",
        f"/{'a' * 3000}",
    ],
)
async def test_redirect_to_anything_but_plain_http_is_denied(
    source: HttpPageSource, server: HostileServer, location: str
) -> None:
    """Each hop is checked like a first URL."""
    result = await failed(source, server.answer("/", status="302 Found", Location=location))

    assert "REDIRECT_DENIED" == result.reason
    assert "secret" not in result.detail


async def test_redirect_loop_ends(source: HttpPageSource, server: HostileServer) -> None:
    """A circle is noticed when it closes."""
    server.answer("/b", status="302 Found", Location="/a")
    url = server.answer("/a", status="302 Found", Location="/b")

    assert "REDIRECT_LOOP" == (await failed(source, url)).reason
    assert 2 == len(server.requests)


async def test_endless_redirects_end(source: HttpPageSource, server: HostileServer) -> None:
    """At most ten are followed."""
    for number in range(20):
        server.answer(f"/{number}", status="302 Found", Location=f"/{number + 1}")

    assert "TOO_MANY_REDIRECTS" == (await failed(source, f"{server.url}/0")).reason
    assert 11 == len(server.requests)


async def test_redirect_without_location_is_a_bad_response(
    source: HttpPageSource, server: HostileServer
) -> None:
    """RFC 9110 section 15.4: nothing says where to go."""
    assert "BAD_RESPONSE" == (await failed(source, server.answer("/", status="302 Found"))).reason


async def test_location_with_raw_bytes_is_followed(
    source: HttpPageSource, server: HostileServer
) -> None:
    """Bytes that are not UTF-8 are read as Latin-1, and percent-encoded."""
    server.answer("/%C3%A9", b"<p>x")
    url = server.answer("/", status="302 Found", Location="/\xe9")

    assert isinstance(await fetch(source, url), Fetched)


async def test_meta_refresh_is_a_page_like_others(
    source: HttpPageSource, server: HostileServer
) -> None:
    """Only HTTP redirects."""
    body = b'<meta http-equiv="refresh" content="0;url=http://169.254.169.254/"><p>x'

    result = await fetch(source, server.answer("/", body))

    assert isinstance(result, Fetched)
    assert ((), 1) == (result.redirects, len(server.requests))
