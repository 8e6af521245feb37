"""The HTTP client under the page source: guarded connections, and nothing done by itself.

Everything that aiohttp would do on its own and that a hostile server could turn against us is
off: redirects, decompression, proxies and credentials of the environment, cookies. Connections
are made by the guard only, straight or through the proxy that a setting names.
"""

import ssl
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver

from scops.common.egress.address import AddressPolicy
from scops.common.egress.guard import GuardedResolver, guarded_sockets
from scops.fetcher.adapters.http.failures import headers_too_large
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.tunnel import TunnelConnector


class GuardedClient:
    """A session of aiohttp, opened with its first use.

    Args:
        limits: bounds of every request.
        addresses: which addresses may be connected to.
        resolver: looks up names; the system's by default.
        tls: verifies servers; the system's authorities by default.
        proxy: URL of a proxy that makes the connections; none by default.
    """

    def __init__(
        self,
        *,
        limits: HttpLimits,
        addresses: AddressPolicy,
        resolver: AbstractResolver | None = None,
        tls: ssl.SSLContext | None = None,
        proxy: str = "",
    ) -> None:
        self._limits = limits
        self._addresses = addresses
        self._resolver = resolver
        self._tls = tls
        self._proxy = proxy
        self._session: aiohttp.ClientSession | None = None

    def session(self) -> aiohttp.ClientSession:
        """Returns the session; aiohttp makes one only inside a running loop."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=self._connector(),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(
                    total=None,
                    connect=self._limits.connect_seconds,
                    sock_read=self._limits.read_seconds,
                ),
                max_line_size=self._limits.header_field_bytes_max,
                max_field_size=self._limits.header_field_bytes_max,
                max_headers=self._limits.header_fields_max,
            )
        return self._session

    async def close(self) -> None:
        """Closes its connections; it is not used afterwards."""
        if self._session is not None:
            await self._session.close()

    def _connector(self) -> aiohttp.TCPConnector:
        resolver = self._resolver or aiohttp.ThreadedResolver()
        common: dict[str, Any] = {
            "resolver": GuardedResolver(resolver, self._addresses),
            "ssl": self._tls or True,
            "limit": self._limits.connections_max,
            "keepalive_timeout": self._limits.keepalive_seconds,
        }
        if self._proxy:
            return TunnelConnector(self._proxy, self._addresses, **common)
        return aiohttp.TCPConnector(socket_factory=guarded_sockets(self._addresses), **common)


def checked_head(response: aiohttp.ClientResponse, limits: HttpLimits) -> aiohttp.ClientResponse:
    """Returns a response whose headers are within their bound.

    Raises:
        WebFailure: they are not; it is closed.
    """
    size = sum(len(name) + len(value) + 4 for name, value in response.raw_headers)
    if size > limits.header_bytes_max:
        response.close()
        raise headers_too_large(f"they hold {size} bytes")
    return response
