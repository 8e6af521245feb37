"""What the screenshots show: the example site, crawled nine days ago and again in its new edition.

Nine days ago people named scopes, crawled and asked; since then the site has published its second
edition. `scops up` runs twice on one folder, the first time by a clock that is set back
(libfaketime), so that ages, histories and answers of then are those of a system in use.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from examples.demo import Demo, free_port
from examples.site_server import SiteServer
from scops.client import Scops
from tests.fakes.servers.moved_clock import find_library

# Elapsed time stays the machine's: only the time of day is set back.
NINE_DAYS_AGO = {"FAKETIME": "-9d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
PRICE = "How much does the River plan cost?"
# Chats of then, by their first questions; the last one is answered otherwise by what stands now.
CHATS = (
    ("For how long may the chest of tools be borrowed?",),
    ("How much rain does one tip of the gauge stand for?",),
    (PRICE, "How much does the Lake plan cost?", "May a host who works alone use a ladder?"),
)


@dataclass(frozen=True, slots=True)
class Story:
    """Where it can be looked at.

    Args:
        url: of the web page.
        origin: of the example site, in its second edition.
        chat: `chats/{chat}` whose answers no longer stand.
    """

    url: str
    origin: str
    chat: str


@contextmanager
def told() -> Iterator[Story]:
    """Tells the story and keeps its system running."""
    site = SiteServer()
    site.start()
    with tempfile.TemporaryDirectory(prefix="scops-screenshots-") as folder:
        demo = Demo(Path(folder))
        demo.environment["SCOPS_FETCHER_ALLOWED_PRIVATE"] = "127.0.0.0/8:*"
        demo.environment["SCOPS_FETCHER_DELAYS"] = "127.0.0.0/8=0.02"
        # Both times the same, for what browsers remember.
        demo.environment["SCOPS_GATEWAY_HTTP_PORT"] = port = free_port()
        try:
            chat = _nine_days_ago(demo, site.origin)
            site.edition = 2
            _today(demo, site.origin)
            yield Story(f"http://127.0.0.1:{port}", site.origin, chat)
        finally:
            demo.stop()
            site.stop()


def _nine_days_ago(demo: Demo, origin: str) -> str:
    """Scopes are made, crawled and asked; returns the last chat."""
    set_back = {**NINE_DAYS_AGO, "LD_PRELOAD": str(find_library())}
    demo.environment |= set_back
    demo.start()
    demo.type("scope", "create", "tarn", f"{origin}/")
    demo.type("scope", "create", "releases", f"{origin}/releases/")
    demo.type("crawl", "releases", "--wait")
    demo.type("crawl", "tarn", "--wait")
    chat = ""
    with Scops(demo.environment["SCOPS_COMMAND_ADDRESS"]) as client:
        for questions in CHATS:
            chat = client.create_chat().name
            for question in questions:
                client.answer(question, "tarn", chat=chat)
    demo.stop()
    for name in set_back:
        del demo.environment[name]
    return chat


def _today(demo: Demo, origin: str) -> None:
    """The second edition is crawled; who may what has changed, and why is told."""
    demo.start()
    demo.type("scope", "share", "tarn", "user:ann@example.org", "--role", "editor")
    demo.type("scope", "share", "tarn", "group:support", "--role", "viewer")
    host = origin.partition("://")[2]
    rules = ("--include", f"prefix:{host}", "--exclude", f"prefix:{host}/private")
    demo.type("scope", "update", "tarn", *rules, "--reason", "Minutes are nobody's to quote.")
    demo.type("crawl", "releases", "--wait")
    demo.type("crawl", "tarn", "--wait")
