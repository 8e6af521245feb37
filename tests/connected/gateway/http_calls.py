"""Calls of the gateway's HTTP door by a plain client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import hdrs

from tests.fakes.worlds.gateway import ServedGateway


@dataclass(frozen=True)
class Answered:
    """A response that was read to its end."""

    status: int
    headers: Any
    body: bytes
    json: Any


@dataclass(frozen=True)
class HttpCalls:
    """Requests to one gateway."""

    session: aiohttp.ClientSession
    url: str

    async def __call__(self, verb: str, path: str, **options: Any) -> Answered:
        """Sends a request and reads its response."""
        async with self.session.request(verb, f"{self.url}{path}", **options) as response:
            body = await response.read()
            is_json = "json" in response.headers.get(hdrs.CONTENT_TYPE, "")
            json = await response.json(content_type=None) if is_json and body else None
            return Answered(response.status, response.headers, body, json)


@asynccontextmanager
async def http_calls(served: ServedGateway) -> AsyncIterator[HttpCalls]:
    """Opens a client of a served gateway."""
    async with aiohttp.ClientSession() as session:
        yield HttpCalls(session, f"http://{served.gateway.http_address}")


SCOPE_BODY = {
    "rules": [{"kind": "KIND_PREFIX", "pattern": "docs.example.org"}],
    "seeds": ["https://docs.example.org/"],
}
