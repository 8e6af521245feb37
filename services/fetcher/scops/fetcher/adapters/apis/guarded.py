"""HTTP for imports: who asks names one address, and nothing that is answered leads within.

What a person names may lie in their own network, such as a wiki of their office. Where its
answers lead, by a redirect or by a place that an index names, is others' word: that is asked only
at public addresses and web ports, as a fetch is.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from urllib.request import getproxies, proxy_bypass

import httpx

from scops.common.egress.address import AddressDenied, AddressPolicy

REDIRECTS_MAX = 10
# What is no secret of whoever asks; `Cookie` is set by the client, for the host alone.
OPEN_HEADERS = frozenset(
    {
        *("host", "user-agent", "accept", "accept-encoding", "accept-language", "connection"),
        *("cookie", "range", "if-range", "if-none-match", "if-modified-since"),
        *("content-type", "content-length", "transfer-encoding"),
    }
)
_PORTS = {"http": 80, "https": 443}
_POLICY = AddressPolicy()


class GuardedTransport(httpx.BaseTransport):
    """Connects to named hosts as they are, and to others at the address that was looked at.

    A name is looked up once, so that it cannot mean another address when it is connected to. Where
    the environment names a proxy, that looks names up; literal addresses are looked at here.

    Args:
        connections_max: open at once.
        proxy: for every host, in the place of what the environment names; empty for none.
    """

    def __init__(self, *, connections_max: int = 10, proxy: str = "") -> None:
        self._named: set[tuple[str, int]] = set()
        self._limits = httpx.Limits(max_connections=connections_max)
        self._direct = httpx.HTTPTransport(limits=self._limits)
        self._proxy = proxy
        self._proxied: dict[str, httpx.HTTPTransport] = {}

    def name(self, url: str) -> None:
        """Lets host and port of a URL that a person named be connected to, wherever they lie."""
        with suppress(httpx.InvalidURL):
            # One that is none is refused where it is asked.
            self._named.add(_place(httpx.URL(url)))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request.

        Raises:
            httpx.ConnectError: its address is refused; what refused it is the cause.
            httpx.TransportError: it does not answer.
        """
        url = request.url
        transport = self._transport(url)
        if self._is_named(url):
            return transport.handle_request(request)
        try:
            address = _checked(url, by_name=transport is not self._direct)
        except AddressDenied as error:
            raise httpx.ConnectError(f"leads to {url.host}: {error}", request=request) from error
        except (OSError, UnicodeError) as error:
            raise httpx.ConnectError(f"{url.host}: {error}", request=request) from error
        # The name goes on in Host and in TLS, of which the certificate is still that of the name.
        return transport.handle_request(
            httpx.Request(
                request.method,
                url.copy_with(host=address),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": url.host},
            )
        )

    def close(self) -> None:
        """Closes the connections."""
        for transport in (self._direct, *self._proxied.values()):
            transport.close()

    def _is_named(self, url: httpx.URL) -> bool:
        host, port = _place(url)
        # A site that is asked over HTTP leads to itself over HTTPS.
        is_usual = port == _PORTS["https"] and (host, _PORTS["http"]) in self._named
        return is_usual or (host, port) in self._named

    def _transport(self, url: httpx.URL) -> httpx.HTTPTransport:
        proxies = getproxies()
        proxy = self._proxy or proxies.get(url.scheme) or proxies.get("all", "")
        if not proxy or (not self._proxy and proxy_bypass(url.host)):
            return self._direct
        if proxy not in self._proxied:
            self._proxied[proxy] = httpx.HTTPTransport(proxy=proxy, limits=self._limits)
        return self._proxied[proxy]


def sent(
    client: httpx.Client, request: httpx.Request, *, between: Callable[[], None] = lambda: None
) -> httpx.Response:
    """Sends a request and follows redirects, of whose bodies nothing is read.

    Another origin is told nothing but what every web server is: no key, whatever its header.

    Args:
        between: waits before a redirect is followed, which is a request, too.

    Returns:
        The last answer, whose body is still to be read; who reads it closes it.

    Raises:
        httpx.TransportError: it does not answer, or leads to an address that is refused.
        httpx.TooManyRedirects: it leads on and on.
    """
    for _ in range(REDIRECTS_MAX + 1):
        answer = client.send(request, stream=True, follow_redirects=False)
        if answer.next_request is None:
            return answer
        answer.close()
        between()
        following = answer.next_request
        if not _is_same_origin(request.url, following.url):
            for name in {*following.headers} - OPEN_HEADERS:
                del following.headers[name]
        request = following
    raise httpx.TooManyRedirects(f"more than {REDIRECTS_MAX} redirects", request=request)


def refused_by_guard(error: httpx.TransportError) -> bool:
    """Says whether an address was refused: asking again does not help."""
    return isinstance(error.__cause__, AddressDenied)


def _is_same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    """Says whether a redirect stays where it was; over HTTPS in the place of HTTP it does."""
    (host, port), (other_host, other_port) = _place(one), _place(other)
    is_upgraded = (one.scheme, other.scheme) == ("http", "https")
    is_usual = (port, other_port) == (_PORTS["http"], _PORTS["https"])
    is_same = one.scheme == other.scheme and port == other_port
    return host == other_host and (is_same or (is_upgraded and is_usual))


def _place(url: httpx.URL) -> tuple[str, int]:
    return url.host, url.port or _PORTS.get(url.scheme, 0)


def _checked(url: httpx.URL, *, by_name: bool) -> str:
    """Returns an address of a host that may be connected to; the host where a proxy looks it up.

    Raises:
        AddressDenied: one of its addresses is refused.
        OSError: it has none.
    """
    host, port = _place(url)
    if by_name:
        _POLICY.check_url(str(url))
        return host
    found = [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    for address in found:
        _POLICY.check(address, port)
    return found[0]
