"""A watch of `scops up`: an edited site reaches a receiver once, whatever stops in between."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from examples.site_server import SITE
from tests.connected.gateway.receivers import is_signed
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

PRICES = "/policies/prices.html"
SAFETY = "/policies/safety.html"
TOLD_SECONDS = 60.0


@dataclass
class Inbox:
    """What came, in order; `statuses` are answered first."""

    url: str = ""
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)


@contextmanager
def inbox() -> Iterator[Inbox]:
    """Runs a receiver beside the test."""
    kept = Inbox()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            kept.requests.append(({k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(kept.statuses.pop(0) if kept.statuses else 204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    kept.url = f"http://127.0.0.1:{server.server_port}/in"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield kept
    finally:
        server.shutdown()


def changes_of(body: bytes) -> list[tuple[str, str, str]]:
    """Returns path and price before and after of each edit that a message tells of."""
    return [
        (urlsplit(change["uri"]).path, *(price(edit[side]["text"]) for side in ("from", "to")))
        for change in json.loads(body)["data"]["changes"]
        for edit in change["edits"]
    ]


def price(text: str) -> str:
    """Returns the price of a sentence."""
    return next(number for number in ("14", "17", "19") if number in text)


def edition_2(path: str) -> bytes:
    return (SITE / "edition-2" / path.lstrip("/")).read_bytes()


def test_an_edit_reaches_a_receiver_once(new_system: Callable[..., System]) -> None:
    """Refused first, delivered by the process that comes after, and never again."""
    settings = {
        "SCOPS_GATEWAY_WATCH_ALLOWED_PRIVATE": "127.0.0.0/8:*",
        "SCOPS_GATEWAY_WATCH_RETRY_SECONDS": "5",
    }
    with running(Origin([SITE / "edition-1"])) as origin, inbox() as receiver:
        system = new_system(**settings).start()
        urls = [origin.url + path for path in (PRICES, SAFETY)]
        system.create_scope("tarn", seeds=[f"{origin.url}/"])
        system.crawl("tarn", urls=urls)
        made = system.run("watch", "create", "tarn", "--to", receiver.url, "--word", "River")
        assert 0 == made.code, made.err
        created = made.json
        tested = system.run("watch", "test", created["watch"]["name"])
        assert 0 == tested.code, tested.err
        receiver.statuses = [503]
        for path in (PRICES, SAFETY):
            origin.replace(path, edition_2(path))
        system.crawl("tarn", urls=urls)
        system.until(lambda: len(receiver.requests) >= 2, seconds=TOLD_SECONDS)
        system.stop()
        system.start()
        system.until(lambda: len(receiver.requests) >= 3, seconds=TOLD_SECONDS)
        origin.replace(PRICES, edition_2(PRICES).replace(b"17 euros", b"19 euros"))
        system.crawl("tarn", urls=urls)
        system.until(lambda: len(receiver.requests) >= 4, seconds=TOLD_SECONDS)
        shown = system.run("watch", "show", created["watch"]["name"]).json

    test, refused, taken, later = receiver.requests
    now = datetime.now(UTC)
    assert all(is_signed(h, b, secret=created["secret"], now=now) for h, b in receiver.requests)
    assert "test" == json.loads(test[1])["type"]
    assert refused[0]["webhook-id"] == taken[0]["webhook-id"] != later[0]["webhook-id"]
    assert json.loads(refused[1])["data"] == json.loads(taken[1])["data"]
    assert [(PRICES, "14", "17"), (PRICES, "17", "19")] == [
        told for _, body in (taken, later) for told in changes_of(body)
    ]
    assert ["STATE_SENT"] * 2 == [one["state"] for one in shown["deliveries"]]
