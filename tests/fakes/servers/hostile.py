"""A server that answers bytes, not HTTP: for whatever a hostile or broken host may send.

Each path has a function that writes to the socket as it likes. Requests are kept, raw.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import TracebackType

Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]


class HostileServer:
    """Listens on a free loopback port; answers 404 to paths that have no reply."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._replies: dict[str, Reply] = {}
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    @property
    def url(self) -> str:
        """`http://127.0.0.1:port`."""
        return f"http://127.0.0.1:{self.port}"

    def reply(self, path: str, reply: Reply | bytes) -> str:
        """Sets what a path answers, before it closes the connection; returns its URL."""
        self._replies[path] = _sender(reply) if isinstance(reply, bytes) else reply
        return f"{self.url}{path}"

    def answer(
        self, path: str, body: bytes = b"", *, status: str = "200 OK", **headers: str
    ) -> str:
        """Sets a well-framed answer; header names take `_` for `-`. Returns its URL."""
        fields = {"Content-Type": "text/html", "Content-Length": str(len(body))}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items())]
        head = "\r\n".join(lines).encode("latin-1")
        return self.reply(path, head + b"\r\n\r\n" + body)

    def request(self, path: str) -> str:
        """Returns the last raw request for a path."""
        return next(r for r in reversed(self.requests) if r.split(" ")[1] == path)

    async def __aenter__(self) -> "HostileServer":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                request = await reader.readuntil(b"\r\n\r\n")
                self.requests.append(request.decode("latin-1"))
                path = self.requests[-1].split(" ")[1]
                await self._replies.get(path, _not_found)(writer)
        finally:
            self._tasks.discard(task)
            writer.close()


def _sender(data: bytes) -> Reply:
    async def send(writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()

    return send


_not_found = _sender(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
