"""Credentials of the page source over HTTP: a redirect off their origin ends them."""

from scops.common.egress.address import AddressPolicy, parse_allowed_ranges
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.page_source import HttpPageSource
from scops.fetcher.ports.page_source import Credential, Fetched, FetchRequest
from tests.fakes.clock import ManualClock
from tests.fakes.page_source import OpenGate
from tests.fakes.servers.hostile import HostileServer

LOOPBACK = AddressPolicy(allowed=parse_allowed_ranges("127.0.0.1/32:*"))
SECRET = (("X-Api-Key", "k-12345"), ("Authorization", "Basic YTpi"))


def source() -> HttpPageSource:
    return HttpPageSource(
        limits=HttpLimits(), addresses=LOOPBACK, clock=ManualClock(), user_agent="Scops"
    )


def knows(request: str) -> bool:
    return "k-12345" in request or "YTpi" in request


async def test_a_redirect_off_the_origin_ends_it_for_good() -> None:
    """Another port of the host is another origin, and so is what it sends us back to."""
    async with HostileServer() as first, HostileServer() as second:
        end = first.answer("/end", b"<p>text")
        away = second.answer("/away", status="302 Found", Location=end)
        start = first.answer("/start", status="302 Found", Location=away)
        fetching = source()
        request = FetchRequest(url=start, credential=Credential(origin=first.url, headers=SECRET))
        answer = await fetching.fetch(request, OpenGate())
        await fetching.close()

    assert isinstance(answer, Fetched)
    assert [True, False] == [knows(one) for one in first.requests]
    assert [False] == [knows(one) for one in second.requests]


async def test_the_archive_keeps_nothing_of_it() -> None:
    """Whatever its headers are called; nor of the session that the server goes on with."""
    async with HostileServer() as server:
        url = server.answer("/a", b"<p>text", **{"Set-Cookie": "sid=k-12345", "X-Page": "1"})
        fetching = source()
        request = FetchRequest(url=url, credential=Credential(origin=server.url, headers=SECRET))
        answer = await fetching.fetch(request, OpenGate())
        await fetching.close()

    assert isinstance(answer, Fetched)
    assert answer.exchange is not None
    assert ("X-Page", "1") in answer.exchange.response_headers
    assert {"Host", "User-Agent"} <= {name for name, _ in answer.exchange.request_headers}
    assert not knows(repr(answer))
