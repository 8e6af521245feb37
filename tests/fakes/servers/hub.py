"""A hub as WebSub (W3C Recommendation) has it: it verifies who asks, and signs what it delivers.

hub = Hub(lease_seconds=15)
with running(Origin()) as site:
    hub.open_at(site, "/hub")
    ...
    status = hub.deliver(topic, body)
"""

import asyncio
import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

import aiohttp
import requests
from aiohttp import web

from tests.fakes.servers.origin import Origin

CALL_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Subscriber:
    """Who a topic is delivered to.

    Attributes:
        until: on the machine's monotone clock.
    """

    callback: str
    secret: str
    until: float


class Hub:
    """One hub on a path of a site; it verifies after it has accepted, as most do.

    Args:
        lease_seconds: that it grants, whatever is asked for.

    Attributes:
        asked: every request, as its fields came.
        verified: mode and answer of every verification; the answer says whether it was confirmed.
    """

    def __init__(self, *, lease_seconds: int = 864_000) -> None:
        self.lease_seconds = lease_seconds
        self.asked: list[Mapping[str, str]] = []
        self.verified: list[tuple[str, bool]] = []
        self.subscribers: dict[str, Subscriber] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._lock = threading.Lock()

    def open_at(self, site: Origin, path: str) -> str:
        """Serves the hub on a site; returns its address."""
        site.handle(path, self._asked)
        return f"{site.url}{path}"

    def deliver(self, topic: str, body: bytes, *, secret: str = "", method: str = "sha256") -> int:
        """Delivers a body, signed with the subscriber's secret or another one; returns the status.

        A subscriber whose lease has run out is delivered nothing.
        """
        with self._lock:
            one = self.subscribers[topic]
        assert time.monotonic() < one.until, "the lease has run out"
        signed = hmac.new((secret or one.secret).encode(), body, getattr(hashlib, method))
        headers = {
            "Content-Type": "application/atom+xml",
            "Link": f'<{topic}>; rel="self"',
            "X-Hub-Signature": f"{method}={signed.hexdigest()}",
        }
        answer = requests.post(one.callback, data=body, headers=headers, timeout=CALL_SECONDS)
        return answer.status_code

    def lease_left(self, topic: str) -> float:
        """Returns the seconds that a topic is delivered for; 0 for one that is not."""
        with self._lock:
            one = self.subscribers.get(topic)
        return max(one.until - time.monotonic(), 0.0) if one else 0.0

    async def _asked(self, request: web.Request) -> web.StreamResponse:
        fields = {name: str(value) for name, value in (await request.post()).items()}
        self.asked.append(fields)
        needed = {"hub.callback", "hub.mode", "hub.topic"}
        if not needed <= fields.keys() or len(fields.get("hub.secret", "")) >= 200:
            return web.Response(status=400, text="A field is missing.")
        task = asyncio.create_task(self._verify(fields))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return web.Response(status=202)

    async def _verify(self, fields: Mapping[str, str]) -> None:
        mode, topic, challenge = fields["hub.mode"], fields["hub.topic"], secrets.token_urlsafe()
        said = {"hub.mode": mode, "hub.topic": topic, "hub.challenge": challenge}
        if mode == "subscribe":
            said["hub.lease_seconds"] = str(self.lease_seconds)
        async with (
            aiohttp.ClientSession() as session,
            session.get(fields["hub.callback"], params=said) as answer,
        ):
            confirmed = answer.ok and await answer.text() == challenge
        with self._lock:
            if confirmed and mode == "subscribe":
                until = time.monotonic() + self.lease_seconds
                subscriber = Subscriber(fields["hub.callback"], fields["hub.secret"], until)
                self.subscribers[topic] = subscriber
            elif confirmed:
                self.subscribers.pop(topic, None)
            self.verified.append((mode, confirmed))
