"""The connection guard: no socket is made to an address that the policy refuses.

Two checks. The resolver refuses a whole name when any of its addresses is refused. The socket
factory sees the address of every connection, so that literals, redirects and names that change
between two look-ups (rebinding) meet it too: a resolver alone is not asked about literals.
"""

import socket
from collections.abc import Callable
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from scops.common.egress.address import AddressPolicy

# As aiohttp passes it: family, type, protocol, canonical name, socket address.
AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]]


class GuardedResolver(AbstractResolver):
    """Resolves names with another resolver, and refuses those with a refused address."""

    def __init__(self, resolver: AbstractResolver, policy: AddressPolicy) -> None:
        self._resolver = resolver
        self._policy = policy

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Returns the addresses of a name.

        Raises:
            AddressDenied: one of them is refused.
            OSError: the name has none, or is none.
        """
        try:
            found = await self._resolver.resolve(host, port, family)
        except UnicodeError as error:
            raise OSError(f"{host[:80]!r} is not a host name") from error
        for answer in found:
            self._policy.check(answer["host"], port)
        return found

    async def close(self) -> None:
        """Closes the other resolver."""
        await self._resolver.close()


def guarded_sockets(policy: AddressPolicy) -> Callable[[AddressInfo], socket.socket]:
    """Returns a socket factory that raises `AddressDenied` for refused addresses."""

    def make(info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, address = info
        policy.check(str(address[0]), int(address[1]))
        return socket.socket(family, kind, protocol)

    return make
