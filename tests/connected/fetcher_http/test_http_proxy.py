"""Pages through a real forward proxy: what it is asked for, and what it is never asked for."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scops.fetcher.adapters.http.failures import network_failure
from scops.fetcher.ports.page_source import Failed
from tests.connected.fetcher_http.asking import failed, fetch, fetched
from tests.connected.fetcher_http.conftest import MakeSource
from tests.connected.fetcher_http.test_http_addresses import ScriptedResolver
from tests.fakes.servers.forward_proxy import ForwardProxy, forward_proxy
from tests.fakes.servers.hostile import HostileServer

PASSWORD = "open-sesame"


@pytest.fixture
async def proxy() -> AsyncIterator[ForwardProxy]:
    async with forward_proxy() as running:
        yield running


async def test_a_page_comes_through_the_proxy_by_its_address(
    make_source: MakeSource, server: HostileServer, proxy: ForwardProxy
) -> None:
    """The name is looked up here; the proxy hears the address, and the site its name."""
    server.answer("/", b"<p>through the proxy")
    source = make_source(proxy=proxy.url, resolver=ScriptedResolver(["127.0.0.1"]))

    page = await fetched(source, f"http://site.example:{server.port}/")

    assert b"<p>through the proxy" == page.body
    assert [f"127.0.0.1:{server.port}"] == proxy.asked
    assert f"Host: site.example:{server.port}" in server.request("/")


async def test_tls_is_with_the_site_and_by_its_name(
    make_source: MakeSource, proxy: ForwardProxy, tmp_path: Path
) -> None:
    """The certificate must be of the name, though the tunnel leads to an address."""
    port, site, trust = await _secure_site(tmp_path, "site.example")
    async with site:
        source = make_source(proxy=proxy.url, resolver=ScriptedResolver(["127.0.0.1"]), tls=trust)
        page = await fetched(source, f"https://site.example:{port}/")
        other = await failed(source, f"https://other.example:{port}/")

    assert b"<p>secure" == page.body
    assert "TLS_FAILED" == other.reason
    assert {f"127.0.0.1:{port}"} == set(proxy.asked)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.2/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.2]/",
        "http://inside.example/",
        "https://inside.example/",
    ],
)
async def test_the_proxy_is_asked_for_no_refused_address(
    make_source: MakeSource, proxy: ForwardProxy, url: str
) -> None:
    """It would connect: literals and names are judged before it hears of them."""
    source = make_source(proxy=proxy.url, resolver=ScriptedResolver(["10.0.0.7"]))

    assert "ADDRESS_DENIED" == (await failed(source, url)).reason
    assert [] == proxy.asked


async def test_a_literal_is_judged_where_no_resolver_is_asked(
    make_source: MakeSource, proxy: ForwardProxy
) -> None:
    """Without the check of URLs before it, the connector itself refuses."""
    source = make_source(proxy=proxy.url)

    with pytest.raises(OSError) as raised:  # noqa: PT011 - the reason is what counts.
        await source._client.session().get("http://127.0.0.2/")

    assert "ADDRESS_DENIED" == network_failure(raised.value).reason
    assert [] == proxy.asked


async def test_a_name_that_is_rebound_is_denied(
    make_source: MakeSource, server: HostileServer, proxy: ForwardProxy
) -> None:
    """A proxy that looked it up again would be led inside; ours is not given the name."""
    server.answer("/", b"<p>first", Connection="close")
    source = make_source(proxy=proxy.url, resolver=ScriptedResolver(["127.0.0.1"], ["127.0.0.2"]))
    url = f"http://rebinding.example:{server.port}/"

    await fetched(source, url)
    source._client.session().connector.clear_dns_cache()  # type: ignore[union-attr]

    assert "ADDRESS_DENIED" == (await failed(source, url)).reason
    assert [f"127.0.0.1:{server.port}"] == proxy.asked


async def test_a_redirect_inside_is_not_followed_through_the_proxy(
    make_source: MakeSource, server: HostileServer, proxy: ForwardProxy
) -> None:
    """The proxy itself, at a private address, is no page either."""
    inside = f"http://127.0.0.2:{proxy.port}/"
    server.answer("/", status="302 Found", Location=inside)
    source = make_source(proxy=proxy.url)

    result = await fetch(source, server.url + "/")

    assert not isinstance(result, Failed) or "ADDRESS_DENIED" == result.reason
    assert [f"127.0.0.1:{server.port}"] == proxy.asked


async def test_a_proxy_that_asks_for_credentials_gets_them(
    make_source: MakeSource, server: HostileServer
) -> None:
    """Those of the setting; without them it says so, and nothing repeats the password."""
    server.answer("/", b"<p>let in")
    async with forward_proxy(f"scops:{PASSWORD}") as proxy:
        page = await fetched(make_source(proxy=proxy.url), server.url + "/")
        wrong = f"http://scops:not-{PASSWORD}@127.0.0.1:{proxy.port}"
        refused = await failed(make_source(proxy=wrong), server.url + "/")

    assert b"<p>let in" == page.body
    assert ("CONNECTION_FAILED", True) == (refused.reason, "407" in refused.detail)
    assert PASSWORD not in refused.detail


async def test_a_proxy_that_is_away_or_refuses_is_named(
    make_source: MakeSource, server: HostileServer
) -> None:
    """It is retried as a broken connection, and told from a site that is down."""
    async with forward_proxy(refusal="403 Forbidden") as proxy:
        refused = await failed(make_source(proxy=proxy.url), server.url + "/")
    away = await failed(make_source(proxy=proxy.url), server.url + "/")
    nobody = await failed(make_source(proxy="http://nobody.invalid:3128"), server.url + "/")

    for failure in (refused, away, nobody):
        assert ("CONNECTION_FAILED", True) == (failure.reason, failure.retryable)
        assert "The proxy made no connection" in failure.detail
    assert [] == server.requests


async def _secure_site(folder: Path, name: str) -> tuple[int, asyncio.Server, ssl.SSLContext]:
    """Serves one page with a certificate of a name; returns port, server, and who trusts it."""
    key, certificate = folder / "site.key", folder / "site.crt"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-keyout", str(key), "-out", str(certificate), "-subj", f"/CN={name}"),
            *("-addext", f"subjectAltName=DNS:{name}"),
        ],
        check=True,
        capture_output=True,
    )

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n"
        writer.write(head + b"<p>secure")
        await writer.drain()
        writer.close()

    own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    own.load_cert_chain(certificate, key)
    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=own)
    trust = ssl.create_default_context(cafile=certificate)
    return server.sockets[0].getsockname()[1], server, trust
