"""Debian's Chromium as the fetcher starts it, and documents whose parts stand in a dictionary."""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import psutil
import pytest

from scops.fetcher.adapters.browser.chromium import Chromium
from scops.fetcher.adapters.browser.rendering import RenderLimits
from scops.fetcher.ports.browser import PagePart, Rendering
from scops.fetcher.ports.page_source import Failed, Fetched

URL = "https://app.example.org/plans?of=2026"
# Of a machine that others use too.
LIMITS = RenderLimits(
    own_seconds=6, total_seconds=60, html_bytes=1_000_000, answer_seconds=40, rest_seconds=0.5
)
IMPATIENT = replace(LIMITS, answer_seconds=5)


def document(html: str, *, url: str = URL, charset: str = "utf-8") -> Fetched:
    """A page as a server sends it."""
    return Fetched(
        final_url=url,
        redirects=(),
        body=html.encode(charset or "utf-8"),
        media_type="text/html",
        charset=charset,
        etag='"1"',
        last_modified="",
        last_modified_time=None,
        content_language="",
        robots_tag="",
        response_seconds=0.1,
    )


def kill_chromium(pid: int) -> None:
    """Kills the browsers that a process has started."""
    killed = 0
    for one in psutil.Process(pid).children(recursive=True):
        # Its parts end by themselves when their parent is killed.
        with suppress(psutil.NoSuchProcess):
            if "chrom" in one.name():
                one.kill()
                killed += 1
    assert killed


@dataclass
class Parts:
    """What the browser is given, and what it asked for.

    Attributes:
        held: content type and body by URL.
    """

    held: dict[str, tuple[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def load(self, url: str) -> PagePart | None:
        self.asked.append(url)
        if url not in self.held:
            return None
        content_type, body = self.held[url]
        return PagePart(status=200, content_type=content_type, body=body.encode())

    def script(self, path: str, body: str) -> None:
        self.held[f"https://app.example.org{path}"] = ("text/javascript", body)

    def data(self, path: str, body: str) -> None:
        self.held[f"https://app.example.org{path}"] = ("application/json", body)


@pytest.fixture
def parts() -> Parts:
    return Parts()


@pytest.fixture
async def chromium() -> AsyncIterator[Chromium]:
    """`make setup-system` installs it."""
    executable = shutil.which("chromium")
    assert executable, "chromium is missing: run make setup-system"
    browser = Chromium(executable, pages_at_once=2, limits=LIMITS)
    yield browser
    await browser.close()


Show = Callable[..., Awaitable[Rendering | Failed]]


@pytest.fixture
def show(chromium: Chromium, parts: Parts) -> Show:
    """Renders a page of a script, or of a whole document."""

    async def show(script: str = "", *, html: str = "", parts_max: int = 20) -> Rendering | Failed:
        whole = html or f"<html><body><div id=root></div><script>{script}</script></body></html>"
        return await chromium.render(document(whole), parts.load, parts_max=parts_max)

    return show
