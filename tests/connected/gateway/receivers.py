"""Receivers of webhooks: real HTTP servers that check what comes as docs/api/watches.md says.

They compute signatures by another library than the gateway does.
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp import web
from cryptography.hazmat.primitives import constant_time, hashes
from cryptography.hazmat.primitives.hmac import HMAC

WINDOW = timedelta(minutes=5)
Behaviour = Callable[[web.Request], Awaitable[web.StreamResponse]]


def is_signed(
    headers: Any, body: bytes, *, secret: str, now: datetime, window: timedelta = WINDOW
) -> bool:
    """Returns whether a body is of who knows the secret, and was signed a moment ago."""
    stamp = str(headers["webhook-timestamp"])
    if abs(now - datetime.fromtimestamp(int(stamp), UTC)) > window:
        return False
    mac = HMAC(base64.b64decode(secret.removeprefix("whsec_")), hashes.SHA256())
    mac.update(f"{headers['webhook-id']}.{stamp}.".encode() + body)
    wanted = b"v1," + base64.b64encode(mac.finalize())
    return any(
        constant_time.bytes_eq(wanted, one.encode())
        for one in str(headers["webhook-signature"]).split(" ")
    )


@dataclass
class Receiver:
    """What came, in order.

    Attributes:
        behaviours: what the next requests meet, in order; then it says 204.
    """

    url: str
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    behaviours: list[Behaviour] = field(default_factory=list)

    @property
    def bodies(self) -> list[Any]:
        """What came, as JSON."""
        return [json.loads(body) for _, body in self.requests]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append((headers, await request.read()))
        if self.behaviours:
            return await self.behaviours.pop(0)(request)
        return web.Response(status=204)


def says(status: int, **headers: str) -> Behaviour:
    """Returns what answers so."""

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(status=status, headers=headers)

    return answer


async def hangs(_: web.Request) -> web.StreamResponse:
    """Never answers."""
    await asyncio.sleep(60)
    return web.Response()


async def endless(request: web.Request) -> web.StreamResponse:
    """Answers without end."""
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(10_000):
        await response.write(b"x" * 65536)
    return response


@asynccontextmanager
async def receiving(host: str = "127.0.0.1") -> AsyncIterator[Receiver]:
    """Runs a receiver on a free port."""
    receiver = Receiver("")
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", receiver.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, host, 0)
    await site.start()
    assert site._server is not None
    port = site._server.sockets[0].getsockname()[1]
    receiver.url = f"http://{host}:{port}/in?token=secret"
    try:
        yield receiver
    finally:
        await runner.cleanup()
