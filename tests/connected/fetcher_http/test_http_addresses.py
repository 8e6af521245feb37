"""Where the page source connects to; operations.md section 2.

Every refused address, by each way in, is asked for in `tests/contract/ways_in`.
"""

import asyncio
import socket
from dataclasses import replace

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from scops.common.egress.address import AddressPolicy, parse_allowed_ranges
from scops.fetcher.adapters.http.failures import network_failure
from scops.fetcher.adapters.http.page_source import HttpPageSource
from scops.fetcher.ports.page_source import Failed, Fetched, FetchRequest
from tests.connected.fetcher_http.conftest import FAST, MakeSource
from tests.fakes.page_source import OpenGate
from tests.fakes.resolving import resolved
from tests.fakes.servers.hostile import HostileServer


class ScriptedResolver(AbstractResolver):
    """Answers each look-up with the next list of addresses; the last one repeats."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return resolved(host, port, answer)

    async def close(self) -> None:
        pass


async def reason(source: HttpPageSource, url: str) -> str:
    result = await source.fetch(FetchRequest(url=url), OpenGate())
    assert isinstance(result, Failed), result
    return result.reason


async def test_socket_factory_denies_what_the_resolver_is_not_asked_about(
    make_source: MakeSource, server: HostileServer
) -> None:
    """Without the early check, the guard in the socket factory still stops a literal."""
    source = make_source(addresses=AddressPolicy())

    with pytest.raises(OSError) as raised:  # noqa: PT011 - the reason is what counts.
        await source._client.session().get(server.url)

    assert "ADDRESS_DENIED" == network_failure(raised.value).reason
    assert server.requests == []


async def test_rebinding_between_two_requests_is_denied(
    make_source: MakeSource, server: HostileServer
) -> None:
    """A name that changes to a refused address is refused from then on."""
    server.answer("/", b"<p>first", Connection="close")
    resolver = ScriptedResolver(["127.0.0.1"], ["127.0.0.2"])
    source = make_source(resolver=resolver)
    url = f"http://rebinding.example:{server.port}/"

    first = await source.fetch(FetchRequest(url=url), OpenGate())
    connector = source._client.session().connector
    assert connector is not None
    connector.clear_dns_cache()  # type: ignore[attr-defined]
    second = await reason(source, url)

    assert (isinstance(first, Fetched), second, resolver.asked) == (True, "ADDRESS_DENIED", 2)


async def test_allowed_range_holds_only_for_its_ports(
    make_source: MakeSource, server: HostileServer
) -> None:
    """An allowed address on another port stays refused."""
    allowed = parse_allowed_ranges(f"127.0.0.1/32:{server.port + 1}")
    source = make_source(addresses=AddressPolicy(allowed=allowed))

    assert await reason(source, server.url) == "ADDRESS_DENIED"
    assert server.requests == []


async def test_public_address_on_another_port_is_denied(make_source: MakeSource) -> None:
    """Public hosts are fetched from web ports only."""
    source = make_source(resolver=ScriptedResolver(["93.184.216.34"]))

    assert await reason(source, "http://host.example:22/") == "PORT_DENIED"


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://host.example/", "http://user:secret@host.example/", "nonsense"],
)
async def test_url_that_is_not_plain_http_is_invalid(source: HttpPageSource, url: str) -> None:
    """Only http and https without credentials are requested, and the secret is not repeated."""
    assert await reason(source, url) == "INVALID_URL"


async def test_name_without_address_fails_as_dns(make_source: MakeSource) -> None:
    """A name that nobody knows is retried later, and its host left alone."""

    class Nobody(ScriptedResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    source = make_source(resolver=Nobody([]))

    result = await source.fetch(FetchRequest(url="http://nobody.example/"), OpenGate())

    assert isinstance(result, Failed)
    assert ("DNS_FAILED", True, True) == (result.reason, result.retryable, result.host_fault)


async def test_label_that_dns_cannot_hold_fails_as_dns(source: HttpPageSource) -> None:
    """A host name with a label of more than 63 characters is a failure, not an exception."""
    assert await reason(source, f"http://{'a' * 70}.example/") == "DNS_FAILED"


async def test_closed_port_fails_as_connection(source: HttpPageSource) -> None:
    """A refused connection is retried later."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]

    assert await reason(source, f"http://127.0.0.1:{port}/") == "CONNECTION_FAILED"


async def test_tls_to_a_server_without_tls_fails_as_tls(source: HttpPageSource) -> None:
    """A failed handshake is told from a failed connection."""

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(plain, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]

        assert await reason(source, f"https://127.0.0.1:{port}/") == "TLS_FAILED"


async def test_environment_proxies_are_ignored(
    make_source: MakeSource, server: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy in the environment would connect past the guard."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    server.answer("/", b"<p>direct")
    source = make_source(limits=replace(FAST, total_seconds=1.0))

    assert isinstance(await source.fetch(FetchRequest(url=server.url), OpenGate()), Fetched)
