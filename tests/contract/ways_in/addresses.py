"""Addresses that nobody may be led to, and an ear for whoever is led there all the same."""

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

from aiohttp.abc import AbstractResolver, ResolveResult

from tests.fakes.resolving import resolved

LITERALS: Sequence[str] = (
    "169.254.169.254",
    "127.0.0.2",
    "[::ffff:127.0.0.2]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.2]",
    "[::1]",
    "[fe80::1]",
    "[fd00::1]",
    "2130706434",
    "0x7f.2",
    "127.2",
    "0",
    "127。0。0。2",
    "①②⑦.⓪.⓪.②",
    "10.0.0.1",
    "224.0.0.1",
)
"""Refused addresses in every way of writing them."""

DOMAIN = "example.org"
_RESOLVED: Sequence[Sequence[str]] = (
    ("169.254.169.254",),
    ("127.0.0.2",),
    ("::ffff:127.0.0.2",),
    ("64:ff9b::7f00:1",),
    ("2002:7f00:1::",),
    ("::127.0.0.1",),
    ("::ffff:0:127.0.0.2",),
    ("::1",),
    ("fe80::1",),
    ("fd00::1",),
    ("0.0.0.0",),
    ("10.0.0.1",),
    ("224.0.0.1",),
    # One refused address denies the whole name, wherever it stands.
    ("127.0.0.1", "10.0.0.1"),
    ("10.0.0.1", "127.0.0.1"),
)
NAMED: Mapping[str, Sequence[str]] = {
    f"inside-{number}.{DOMAIN}": addresses for number, addresses in enumerate(_RESOLVED)
}
"""Names of the site's own domain whose addresses are refused."""

HOSTS: Sequence[str] = (*LITERALS, *NAMED)
# Those of them that reach a listener on this machine where nobody refuses.
_AUDIBLE = ("127.0.0.1", "127.0.0.2", "::1")


class Names(AbstractResolver):
    """Resolves `NAMED`, and every other name to 127.0.0.1."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        return resolved(host, port, NAMED.get(host, ("127.0.0.1",)))

    async def close(self) -> None:
        pass


@dataclass
class Ear:
    """Listens on one port of every address of this machine; nobody may connect to it.

    Attributes:
        heard: the address of each connection.
    """

    port: int = 0
    heard: list[str] = field(default_factory=list)

    async def hear(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append(writer.get_extra_info("sockname")[0])
        writer.close()


@asynccontextmanager
async def listening() -> AsyncIterator[Ear]:
    """Yields an ear that is known to hear what it should."""
    ear = Ear()
    async with AsyncExitStack() as held:
        first = await held.enter_async_context(await asyncio.start_server(ear.hear, "0.0.0.0", 0))
        ear.port = first.sockets[0].getsockname()[1]
        with suppress(OSError):
            # A machine may be without IPv6.
            second = await asyncio.start_server(ear.hear, "::", ear.port)
            await held.enter_async_context(second)
        for address in _AUDIBLE:
            with suppress(OSError):
                _, writer = await asyncio.open_connection(address, ear.port)
                writer.close()
        while len(ear.heard) < 2:
            await asyncio.sleep(0.01)
        ear.heard.clear()
        yield ear
