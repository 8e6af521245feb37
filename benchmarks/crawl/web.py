"""The web that the crawling benchmark crawls: many hosts on the loopback, in a process of its own.

It answers conditional requests, waits the latency before each answer, and counts what it sends.
Hosts are addresses of 127.0.0.0/8 at one port. Commands come by standard input, one a line:
`edit SHARE` changes that share of the pages, `stats` prints what was sent since the last time.

    python -m benchmarks.crawl.web --hosts N --pages N --latency SECONDS
"""

import argparse
import asyncio
import hashlib
import json
import random
import sys
from collections import Counter
from dataclasses import dataclass, field

from benchmarks.crawl.site import ROBOTS, page, path_of
from benchmarks.shared.system.system import free_port

SEED = 7


@dataclass(slots=True)
class Sent:
    """What was sent since the last question.

    Attributes:
        at_once: requests of a host in hand, by host.
        at_once_max: the largest of these.
    """

    bytes: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    at_once: Counter[str] = field(default_factory=Counter)
    at_once_max: int = 0

    def told(self) -> str:
        """Returns the numbers as one line of JSON."""
        return json.dumps(
            {
                "bytes": self.bytes,
                "statuses": {str(status): count for status, count in self.statuses.items()},
                "at_once_max": self.at_once_max,
            }
        )


class Web:
    """All hosts: bodies by host and path."""

    def __init__(self, hosts: list[str], pages: int, latency_seconds: float) -> None:
        self.hosts = hosts
        self.pages = pages
        self.latency_seconds = latency_seconds
        self.sent = Sent()
        self._answers: dict[tuple[str, str], tuple[bytes, bytes, bytes]] = {}
        for host in hosts:
            for number in range(pages):
                self._keep(host, number, edition=0)

    def edit(self, share: float) -> int:
        """Gives a share of all pages another text; returns how many."""
        places = [(host, number) for host in self.hosts for number in range(self.pages)]
        chosen = random.Random(SEED).sample(places, round(share * len(places)))
        for host, number in chosen:
            self._keep(host, number, edition=1)
        return len(chosen)

    def answer(self, host: str, request: bytes) -> bytes:
        """Returns the bytes of an answer, and counts them."""
        path = request[4 : request.index(b" ", 4)].decode("ascii", "replace")
        known = self._answers.get((host, path))
        if path == "/robots.txt":
            status, answer = 200, _answer(b"200 OK", b"text/plain", ROBOTS)
        elif known is None:
            status, answer = 404, _answer(b"404 Not Found", b"text/plain", b"Not here.")
        elif known[0] in request:
            status, answer = 304, known[1]
        else:
            status, answer = 200, known[2]
        if known is not None:
            self.sent.statuses[status] += 1
            self.sent.bytes += len(answer)
        return answer

    def _keep(self, host: str, number: int, *, edition: int) -> None:
        body = page(host, number, pages=self.pages, edition=edition)
        etag = b'"' + hashlib.sha256(body).hexdigest()[:32].encode() + b'"'
        self._answers[host, path_of(number)] = (
            etag,
            b"HTTP/1.1 304 Not Modified\r\nETag: " + etag + b"\r\n\r\n",
            _answer(b"200 OK", b"text/html", body, b"ETag: " + etag + b"\r\n"),
        )


class Answering(asyncio.Protocol):
    """One kept-alive connection."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._host = ""
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._host = transport.get_extra_info("sockname")[0]

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            request, self._received = self._received.split(b"\r\n\r\n", 1)
            sent = self._web.sent
            sent.at_once[self._host] += 1
            sent.at_once_max = max(sent.at_once_max, sent.at_once[self._host])
            answer = self._web.answer(self._host, request)
            if self._web.latency_seconds:
                loop = asyncio.get_running_loop()
                loop.call_later(self._web.latency_seconds, self._send, answer)
            else:
                self._send(answer)

    def _send(self, answer: bytes) -> None:
        self._web.sent.at_once[self._host] -= 1
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)


def _answer(status: bytes, kind: bytes, body: bytes, headers: bytes = b"") -> bytes:
    head = b"HTTP/1.1 " + status + b"\r\nContent-Type: " + kind + b"\r\n" + headers
    return head + b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body


def addresses(count: int) -> list[str]:
    """Returns addresses of the loopback, at most 60,000."""
    return [f"127.1.{place // 250}.{place % 250 + 1}" for place in range(count)]


async def _serve(web: Web, port: int) -> None:
    loop = asyncio.get_running_loop()
    await loop.create_server(lambda: Answering(web), web.hosts, port, backlog=1024)
    commands = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    print(json.dumps({"port": port}), flush=True)
    while line := (await commands.readline()).decode().split():
        if line[0] == "edit":
            print(json.dumps({"edited": web.edit(float(line[1]))}), flush=True)
        else:
            print(web.sent.told(), flush=True)
            web.sent = Sent()


def main() -> None:
    """Serves until standard input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--hosts", type=int, required=True)
    parser.add_argument("--pages", type=int, required=True, help="of each host")
    parser.add_argument("--latency", type=float, required=True)
    options = parser.parse_args()
    web = Web(addresses(options.hosts), options.pages, options.latency)
    asyncio.run(_serve(web, free_port()))


if __name__ == "__main__":
    main()
