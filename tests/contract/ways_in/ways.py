"""The ways by which pages are fetched: over HTTP, or shown by Chromium; the site is the same."""

import shutil
from dataclasses import dataclass

from scops.common.contract.messages.crawl import PageFetched
from scops.common.scope.urls import canonical_url
from scops.fetcher.adapters.browser.chromium import Chromium
from scops.fetcher.adapters.browser.rendering import RenderLimits
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.page_source import HttpPageSource, user_agent
from scops.fetcher.settings import FetcherSettings
from tests.contract.ways_in.addresses import DOMAIN, Names
from tests.fakes.clock import ManualClock
from tests.fakes.page_source import LOOPBACK
from tests.fakes.servers.origin import Origin
from tests.fakes.worlds.fetcher import FetcherWorld, scope

HTTP, BROWSER = "http", "browser"
WAYS = (HTTP, BROWSER)
HOST = f"app.{DOMAIN}"
SIZE_MAX = 200_000
LIMITS = HttpLimits(wire_bytes_max=SIZE_MAX, decoded_bytes_max=SIZE_MAX, redirects_max=4)
# Of a machine that others use too.
RENDER_LIMITS = RenderLimits(
    own_seconds=20, total_seconds=90, rest_seconds=0.3, html_bytes=SIZE_MAX, answer_seconds=60
)
SETTINGS = FetcherSettings(allowed_private="127.0.0.1/32:*", attempts_max=2)
SHELL = "<!doctype html><html><body><div id=root></div><script>{script}</script></body></html>"
# What an app does: it asks for the data of its address, and shows it.
DRAW = """fetch('/data' + location.pathname).then(answer => answer.text())
  .then(text => { root.textContent = text })"""


@dataclass
class Way:
    """A fetcher on a state of its own, and the site that it fetches from.

    Attributes:
        shown: whether pages are shown by the browser, of which each has its text from a script.
        revision: of the scope.
    """

    world: FetcherWorld
    origin: Origin
    shown: bool
    revision: int = 0

    def url(self, path: str, *, host: str = HOST) -> str:
        """Returns the canonical URL of a path."""
        return canonical_url(f"http://{host}:{self.origin.url.rpartition(':')[2]}{path}")

    def put(self, path: str, text: str) -> str:
        """Serves a page that says a text from now on; returns its URL."""
        if not self.shown:
            self.origin.replace(path, f"<!doctype html><html><body><p>{text}</p></body></html>")
            return self.url(path)
        self.origin.replace(f"/data{path}", text, type="text/plain")
        return self.put_app(path, DRAW)

    def put_app(self, path: str, script: str) -> str:
        """Serves a page of a script; returns its URL."""
        self.origin.replace(path, SHELL.format(script=script))
        return self.url(path)

    def text_path(self, path: str) -> str:
        """Returns the path that a page's text comes from."""
        return f"/data{path}" if self.shown else path

    def hold(self, *patterns: str) -> None:
        """Gives the scope its rules, beside the one of the whole site."""
        rules = [self.url("/").removeprefix("http://").rstrip("/"), *patterns]
        self.revision += 1
        self.world.scopes.apply(scope(*rules, revision=self.revision, rendered_always=self.shown))

    async def look(self, *urls: str, job_id: str) -> dict[str, str]:
        """Fetches pages, has them indexed, and returns what became of them by URL."""
        await self.world.fetch(*urls, job_id=job_id)
        await self.world.run()
        return await self.world.outcomes(job_id)

    async def fetched(self, *urls: str, job_id: str = "job") -> list[str]:
        """Fetches pages and returns what came of them, in turn."""
        await self.world.fetch_at_once(*urls, job_id=job_id)
        events = await self.world.events(PageFetched)
        assert all(event.came_by == (BROWSER if self.shown else "") for event in events)
        return [(await self.world.archive.get(event.body)).decode() for event in events]


def chromium() -> Chromium:
    """Debian's, as `make setup-system` installs it."""
    executable = shutil.which("chromium")
    assert executable, "chromium is missing: run make setup-system"
    return Chromium(executable, pages_at_once=2, limits=RENDER_LIMITS)


def page_source(clock: ManualClock, limits: HttpLimits = LIMITS) -> HttpPageSource:
    """The client of the fetcher, with names of our own."""
    return HttpPageSource(
        limits=limits,
        addresses=LOOPBACK,
        clock=clock,
        user_agent=user_agent("9.9", ""),
        resolver=Names(),
    )
