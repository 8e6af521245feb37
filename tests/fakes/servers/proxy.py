"""Bad network between a client and a server: a TCP proxy that delays, throttles, stalls and resets.

async with troubled(host, port) as network:
    connect("127.0.0.1", network.port)
    network.trouble = Trouble(latency_seconds=0.5)     # also on open connections
    network.reset()                                    # every open connection, with RST
"""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

# With no time to linger a close sends RST instead of FIN.
NO_LINGER = struct.pack("ii", 1, 0)
SLICE_BYTES_MAX = 65_536
STALL_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What is wrong with a network.

    Attributes:
        bytes_per_second: of each direction of a connection; 0 is unbounded.
        slice_bytes: at most so many pass at once.
        stalled: nothing passes, and nobody is told.
    """

    latency_seconds: float = 0.0
    bytes_per_second: int = 0
    slice_bytes: int = SLICE_BYTES_MAX
    stalled: bool = False


@dataclass
class Network:
    """The way to one server; its trouble may change at any time."""

    host: str
    server_port: int
    port: int = 0
    trouble: Trouble = Trouble()
    connections: int = 0
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def reset(self) -> None:
        """Ends every open connection with RST on both sides."""
        for writer in list(self._writers):
            raw = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Passes one connection on, both ways, until a side ends it."""
        self.connections += 1
        try:
            there, back = await asyncio.open_connection(self.host, self.server_port)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, back}
        ways = {
            asyncio.create_task(self._pass(reader, back)),
            asyncio.create_task(self._pass(there, writer)),
        }
        self._tasks |= ways
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            self._tasks -= ways
            self._writers -= {writer, back}
            for end in (writer, back):
                end.transport.abort()

    def close(self) -> None:
        """Ends what is under way."""
        for task in list(self._tasks):
            task.cancel()
        self.reset()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(min(self.trouble.slice_bytes, SLICE_BYTES_MAX)):
                while self.trouble.stalled:
                    await asyncio.sleep(STALL_POLL_SECONDS)
                trouble = self.trouble
                slow = len(data) / trouble.bytes_per_second if trouble.bytes_per_second else 0.0
                if trouble.latency_seconds + slow:
                    await asyncio.sleep(trouble.latency_seconds + slow)
                writer.write(data)
                await writer.drain()


@asynccontextmanager
async def troubled(
    host: str, port: int, *, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Network]:
    """Listens on a port of its own before a server, while inside.

    Args:
        tls: ends TLS before the server, which is asked plainly.
    """
    network = Network(host, port)
    server = await asyncio.start_server(network.serve, "127.0.0.1", 0, ssl=tls)
    network.port = server.sockets[0].getsockname()[1]
    try:
        yield network
    finally:
        server.close()
        network.close()
