"""The contract of `PageSource`, for every adapter: what the gate says holds for each request."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from scops.common.egress.address import AddressPolicy, parse_allowed_ranges
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.page_source import HttpPageSource
from scops.fetcher.frontier.leases import LeaseLost
from scops.fetcher.ports.page_source import (
    Credential,
    Failed,
    Fetched,
    FetchRequest,
    Gone,
    PageSource,
    Redirected,
    Unmodified,
)
from tests.fakes.clock import ManualClock
from tests.fakes.page_source import FakePageSource, Hop, OpenGate, page_answer
from tests.fakes.servers.hostile import HostileServer

LOOPBACK = AddressPolicy(allowed=parse_allowed_ranges("127.0.0.1/32:*"))
PRIVATE = "http://10.0.0.1/secret"
SECRET = (("X-Api-Key", "k-12345"),)


@dataclass(frozen=True, slots=True)
class Web:
    """A source, and how the web behind it is told what to answer.

    Attributes:
        serve: path, body and ETag of a page; returns its URL.
        lead: path, target and whether for good of a redirect; returns its URL.
        known: of each request that was sent, whether it had `SECRET`.
    """

    source: PageSource
    serve: Callable[[str, str, str], str]
    lead: Callable[[str, str, bool], str]
    known: Callable[[], list[bool]]


@asynccontextmanager
async def http_web() -> AsyncIterator[Web]:
    async with HostileServer() as server:
        source = HttpPageSource(
            limits=HttpLimits(redirects_max=5),
            addresses=LOOPBACK,
            clock=ManualClock(),
            user_agent="Scops",
        )

        def serve(path: str, body: str, etag: str) -> str:
            status = "200 OK" if body else "304 Not Modified"
            return server.answer(path, body.encode(), status=status, ETag=etag)

        def lead(path: str, target: str, permanent: bool) -> str:
            status = "301 Moved" if permanent else "302 Found"
            return server.answer(path, status=status, Location=target)

        def known() -> list[bool]:
            return ["k-12345" in request for request in server.requests]

        yield Web(source, serve, lead, known)
        await source.close()


@asynccontextmanager
async def fake_web() -> AsyncIterator[Web]:
    source, root = FakePageSource(ManualClock()), "http://127.0.0.1:8000"

    def serve(path: str, body: str, etag: str) -> str:
        source.serve(root + path, page_answer(body, etag=etag))
        return root + path

    def lead(path: str, target: str, permanent: bool) -> str:
        source.serve(root + path, Hop(target, permanent=permanent))
        return root + path

    def known() -> list[bool]:
        return [asked.known for asked in source.asked]

    yield Web(source, serve, lead, known)


@pytest.fixture(params=[http_web, fake_web], ids=["http", "fake"])
async def web(request: pytest.FixtureRequest) -> AsyncIterator[Web]:
    async with request.param() as opened:
        yield opened


async def test_each_request_enters_the_gate(web: Web) -> None:
    """A redirect on the host is put to the gate, and is a request of its own."""
    end = web.serve("/b", "<p>text", "")
    start = web.lead("/a", end, True)
    gate = OpenGate()

    answer = await web.source.fetch(FetchRequest(url=start), gate)

    assert isinstance(answer, Fetched)
    assert ([start, end], [end]) == (gate.requests, gate.asked)
    assert (end, [(end, True)]) == (
        answer.final_url,
        [(hop.url, hop.permanent) for hop in answer.redirects],
    )
    assert 0 == gate.open


async def test_a_private_address_is_refused(web: Web) -> None:
    """It is neither asked for itself nor where a page redirects to it."""
    gate = OpenGate()
    answers = [
        await web.source.fetch(FetchRequest(url=PRIVATE), gate),
        await web.source.fetch(FetchRequest(url=web.lead("/a", PRIVATE, False)), gate),
        await web.source.fetch_plain(FetchRequest(url=PRIVATE), gate, limit_bytes=100),
    ]

    assert ["ADDRESS_DENIED"] * 3 == [
        answer.reason for answer in answers if isinstance(answer, Failed)
    ]
    assert PRIVATE not in gate.requests


@pytest.mark.parametrize("lost", [1, 2])
async def test_a_lost_lease_ends_the_fetch(web: Web, lost: int) -> None:
    """Nothing is sent any more once the host is somebody else's."""
    start = web.lead("/a", web.serve("/b", "<p>text", ""), True)
    gate = OpenGate(lost=lost)

    with pytest.raises(LeaseLost):
        await web.source.fetch(FetchRequest(url=start), gate)

    assert (lost - 1, 0) == (len(gate.requests), gate.open)


async def test_a_redirect_that_is_not_admitted_is_not_requested(web: Web) -> None:
    """Scope and robots.txt hold for the target too."""
    start = web.lead("/a", web.serve("/b", "<p>text", ""), True)
    gate = OpenGate(admitted=False)

    answer = await web.source.fetch(FetchRequest(url=start), gate)

    assert isinstance(answer, Failed)
    assert ("REDIRECT_DENIED", [start]) == (answer.reason, gate.requests)


async def test_redirects_of_plain_files_are_admitted_where_that_is_wanted(web: Web) -> None:
    """robots.txt is followed wherever its host leads; the parts of a page are not."""
    start = web.lead("/a", web.serve("/b", "<p>text", ""), True)
    gate = OpenGate(admitted=False)
    request = FetchRequest(url=start)
    followed = await web.source.fetch_plain(request, gate, limit_bytes=100)
    refused = await web.source.fetch_plain(request, gate, limit_bytes=100, admitted_only=True)

    assert isinstance(followed, Fetched)
    assert isinstance(refused, Failed)
    assert ("REDIRECT_DENIED", 3) == (refused.reason, len(gate.requests))


async def test_a_redirect_to_another_host_is_handed_back(web: Web) -> None:
    """Its host has a clock of its own, which this fetch does not hold."""
    away = "http://other.test/"
    start = web.lead("/a", away, True)
    gate = OpenGate()

    answers = [
        await web.source.fetch(FetchRequest(url=start), gate),
        await web.source.fetch_plain(FetchRequest(url=start), gate, limit_bytes=100),
    ]

    assert [(away, True)] * 2 == [
        (answer.target_url, answer.permanent)
        for answer in answers
        if isinstance(answer, Redirected)
    ]
    assert [start, start] == gate.requests


async def test_redirects_in_a_circle_end(web: Web) -> None:
    """The number of requests for one page is bounded."""
    start = web.lead("/a", "/b", False)
    web.lead("/b", "/a", False)
    gate = OpenGate()

    answer = await web.source.fetch(FetchRequest(url=start), gate)

    assert isinstance(answer, Failed)
    assert ("REDIRECT_LOOP", 2) == (answer.reason, len(gate.requests))


async def test_conditions_are_answered_unmodified(web: Web) -> None:
    """Validators that an answer brought stand for its body."""
    url = web.serve("/a", "<p>text", '"v1"')
    gate = OpenGate()
    first = await web.source.fetch(FetchRequest(url=url), gate)
    assert isinstance(first, Fetched)
    if isinstance(web.source, HttpPageSource):
        web.serve("/a", "", '"v1"')

    again = await web.source.fetch(FetchRequest(url=url, etag=first.etag), gate)

    assert isinstance(again, Unmodified)


async def test_a_page_that_is_not_there_is_gone(web: Web) -> None:
    """A 404 is an answer, not a failure."""
    url = web.serve("/a", "<p>text", "") + "-not"

    answer = await web.source.fetch(FetchRequest(url=url), OpenGate())

    assert isinstance(answer, Gone)


async def test_cancelling_leaves_the_gate(web: Web) -> None:
    """A fetch that is broken off holds its host no longer than that."""
    url = web.serve("/a", "<p>text", "")
    gate = OpenGate()
    task = asyncio.ensure_future(web.source.fetch(FetchRequest(url=url), gate))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert 0 == gate.open


def secret_of(url: str) -> Credential:
    """Returns a credential of a URL's origin."""
    return Credential(origin="/".join(url.split("/")[:3]), headers=SECRET)


async def test_a_credential_goes_to_its_origin(web: Web) -> None:
    """Also after a redirect that stays there; without one nothing of it is sent."""
    start = web.lead("/a", web.serve("/b", "<p>text", ""), True)
    gate = OpenGate()
    await web.source.fetch(FetchRequest(url=start, credential=secret_of(start)), gate)
    await web.source.fetch(FetchRequest(url=start), gate)

    assert [True, True, False, False] == web.known()


@pytest.mark.parametrize(
    "origin", ["https://127.0.0.1", "http://127.0.0.1", "http://127.0.0.1:1", "http://other.test"]
)
async def test_a_credential_goes_to_no_other_origin(web: Web, origin: str) -> None:
    """Scheme, host and port are it; a port that begins alike is another."""
    url = web.serve("/a", "<p>text", "")
    request = FetchRequest(url=url, credential=Credential(origin=origin, headers=SECRET))
    await web.source.fetch(request, OpenGate())
    await web.source.fetch_plain(request, OpenGate(), limit_bytes=100)

    assert [False, False] == web.known()


async def test_nothing_of_a_credential_is_shown() -> None:
    """Whoever logs a request logs no secret."""
    assert "k-12345" not in repr(
        FetchRequest(url="https://a.test/", credential=secret_of("https://a.test/"))
    )
