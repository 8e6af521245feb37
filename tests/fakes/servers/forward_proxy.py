"""A forward proxy that makes every tunnel it is asked for, by CONNECT, and keeps what it was asked.

It refuses nobody, so that what is not reached was refused by whoever asked.
"""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

PIECE_BYTES = 65_536


@dataclass
class ForwardProxy:
    """A proxy that listens.

    Attributes:
        port: on the loopback.
        credentials: `user:password` that it asks for; empty asks for none.
        refusal: the status that it answers instead of a tunnel, such as `403 Forbidden`.
        asked: each `host:port` that a tunnel was asked to, in order.
    """

    port: int = 0
    credentials: str = ""
    refusal: str = ""
    asked: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its URL, with the credentials that it asks for."""
        user = f"{self.credentials}@" if self.credentials else ""
        return f"http://{user}127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Makes one tunnel, and ends with it."""
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, target, _ = head.split("\r\n")[0].split(" ")
            self.asked.append(target)
            if refusal := self.refusal or self._refusal(method, head):
                writer.write(f"HTTP/1.1 {refusal}\r\nContent-Length: 0\r\n\r\n".encode())
            else:
                await _join(target, reader, writer)
        with suppress(OSError):
            writer.close()
            await writer.wait_closed()

    def _refusal(self, method: str, head: str) -> str:
        if method != "CONNECT":
            return "405 Method Not Allowed"
        basic = base64.b64encode(self.credentials.encode()).decode()
        if self.credentials and f"Proxy-Authorization: Basic {basic}\r\n" not in head:
            return "407 Proxy Authentication Required"
        return ""


@asynccontextmanager
async def forward_proxy(credentials: str = "", refusal: str = "") -> AsyncIterator[ForwardProxy]:
    """Runs a proxy on a free loopback port."""
    made = ForwardProxy(credentials=credentials, refusal=refusal)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()


async def _join(target: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    host, _, port = target.rpartition(":")
    beyond, out = await asyncio.open_connection(host.strip("[]"), int(port))
    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    await asyncio.gather(_pass(reader, out), _pass(beyond, writer))


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while piece := await reader.read(PIECE_BYTES):
            writer.write(piece)
            await writer.drain()
    writer.close()
