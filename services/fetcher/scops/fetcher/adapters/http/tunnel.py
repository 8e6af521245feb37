"""Connections through a proxy: the guard goes on deciding, for the proxy is given addresses.

A proxy that was given names would look them up itself, and whoever owns a name could lead it to
an address inside (rebinding). So names are resolved and judged here, and the proxy is asked for
one address that passed: `CONNECT 93.184.216.34:443`, for plain HTTP as well. TLS goes through the
tunnel to the site, whose name the certificate must have; the proxy sees addresses and bytes.
"""

import socket
from typing import Any

import aiohttp
from aiohttp.client_proto import ResponseHandler
from python_socks import ProxyError
from python_socks.async_.asyncio import Proxy

from scops.common.egress.address import AddressPolicy
from scops.fetcher.adapters.http.failures import TunnelRefused


class TunnelConnector(aiohttp.TCPConnector):
    """Connects to judged addresses through a proxy.

    Args:
        proxy: its URL, `http://` or `socks5://`.
        policy: judges each address once more before it is asked for, as a resolver alone is not
            asked about literals.
    """

    def __init__(self, proxy: str, policy: AddressPolicy, **options: Any) -> None:
        super().__init__(**options)
        self._proxy = proxy.rstrip("/")
        self._policy = policy

    async def _wrap_create_connection(
        self,
        *args: Any,
        addr_infos: list[Any],
        req: aiohttp.ClientRequest,
        timeout: aiohttp.ClientTimeout,
        client_error: type[Exception] = aiohttp.ClientConnectorError,
        **kwargs: Any,
    ) -> tuple[Any, ResponseHandler]:
        """Takes the place of the connection that aiohttp makes; TLS on it stays aiohttp's."""
        host, port = str(addr_infos[0][4][0]), int(addr_infos[0][4][1])
        try:
            self._policy.check(host, port)
            tunnel = await self._tunnel(host, port, timeout.sock_connect or timeout.connect)
        except OSError as error:
            raise client_error(req.connection_key, error) from error
        return await self._wrap_existing_connection(
            *args, req=req, timeout=timeout, client_error=client_error, sock=tunnel, **kwargs
        )

    async def _tunnel(self, host: str, port: int, seconds: float | None) -> socket.socket:
        try:
            return await Proxy.from_url(self._proxy).connect(host, port, timeout=seconds)
        except (OSError, ProxyError) as error:
            # Never the page's name that has no address, nor its host that is slow.
            raise TunnelRefused(f"to {host}: {error}") from None
