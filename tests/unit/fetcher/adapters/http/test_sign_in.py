"""What begins a session, over HTTP: one hop a request, within bounds, to guarded addresses."""

import pytest
from aiohttp import web

from scops.common.egress.address import AddressPolicy, parse_allowed_ranges
from scops.fetcher.adapters.http.client import GuardedClient
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.sign_in import HttpSignIn
from scops.fetcher.ports.page_source import Failed
from scops.fetcher.ports.sign_in import ANSWER_BYTES_MAX, SignInAnswer, SignInRequest
from tests.fakes.clock import ManualClock
from tests.fakes.page_source import OpenGate
from tests.fakes.servers.hostile import HostileServer
from tests.fakes.servers.origin import Origin

FORM = (("user", "änn & co"), ("pw", "p=1"))


def source(allowed: str = "127.0.0.1/32:*") -> HttpSignIn:
    addresses = AddressPolicy(allowed=parse_allowed_ranges(allowed))
    client = GuardedClient(limits=HttpLimits(), addresses=addresses)
    return HttpSignIn(client, limits=HttpLimits(), clock=ManualClock(), user_agent="Scops")


async def sent(request: SignInRequest, *, by: HttpSignIn | None = None) -> SignInAnswer | Failed:
    """Sends a request through a gate that admits everything."""
    sending = by or source()
    try:
        return await sending.send(request, OpenGate())
    finally:
        await sending.close()


async def test_a_form_is_posted_and_its_answer_told() -> None:
    """As `application/x-www-form-urlencoded`; the redirect is told and not followed."""
    asked: list[tuple[str, dict[str, str], dict[str, str]]] = []

    async def let_in(request: web.Request) -> web.StreamResponse:
        form = {name: str(value) for name, value in (await request.post()).items()}
        asked.append((request.method, form, dict(request.headers)))
        answer = web.Response(status=303, headers={"Location": "/home?a=1"})
        answer.set_cookie("sid", "s-1", httponly=True, path="/")
        answer.del_cookie("before")
        return answer

    async with Origin() as origin:
        origin.handle("/session", let_in)
        url = f"{origin.url}/session"
        answer = await sent(SignInRequest(url=url, form=FORM, headers=(("Cookie", "a=1"),)))

    assert isinstance(answer, SignInAnswer)
    assert (303, f"{origin.url}/home?a=1") == (answer.status, answer.target_url)
    assert {"sid": "s-1", "before": ""} == dict(answer.cookies)
    ((method, form, headers),) = asked
    assert ("POST", dict(FORM), "a=1") == (method, form, headers["Cookie"])
    assert {"s-1", "p=1"} == {word for word in ("s-1", "p=1") if word not in repr(answer)}
    assert 1 == len(origin.requests)


async def test_a_page_is_read_up_to_its_bound() -> None:
    """Whatever its status: a refusal says why in its body."""
    async with HostileServer() as server:
        large = await sent(SignInRequest(url=server.answer("/a", b"x" * 2 * ANSWER_BYTES_MAX)))
        url = server.answer("/b", b'{"error": "invalid_client"}', status="401 Unauthorized")
        refused = await sent(SignInRequest(url=url, form=()))

    assert isinstance(large, SignInAnswer)
    assert ANSWER_BYTES_MAX == len(large.body)
    assert isinstance(refused, SignInAnswer)
    assert (401, b'{"error": "invalid_client"}') == (refused.status, refused.body)


@pytest.mark.parametrize("status", ["503 Unavailable", "429 Too Many Requests", "500 Error"])
async def test_a_server_that_fails_is_asked_later(status: str) -> None:
    """It has refused nobody."""
    async with HostileServer() as server:
        answer = await sent(SignInRequest(url=server.answer("/a", status=status)))

    assert isinstance(answer, Failed)
    assert answer.retryable


async def test_a_private_address_is_not_connected_to() -> None:
    """By name, by number, and behind nothing: as for pages."""
    denied = await sent(SignInRequest(url="http://127.0.0.1:9/token", form=()), by=source(""))

    assert isinstance(denied, Failed)
    assert ("ADDRESS_DENIED", False) == (denied.reason, denied.retryable)
