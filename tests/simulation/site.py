"""A small web that changes, reverts, moves and vanishes, and that notices impolite visitors."""

import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from scops.common.contract.ids import content_hash
from scops.common.scope.urls import host_key
from scops.fetcher.ports.page_source import (
    Failed,
    Fetched,
    FetchRequest,
    FetchResult,
    Gone,
    Redirect,
    RequestGate,
    Unmodified,
)
from tests.fakes.clock import ManualClock
from tests.simulation.stage import Stage

HOSTS = ("http://a.example", "http://b.example")
PATHS = {HOSTS[0]: ("/", "/one", "/deep/two"), HOSTS[1]: ("/", "/one")}
TEXTS = ("alpha", "beta", "gamma", "delta")
ROBOTS = b"User-agent: *\nDisallow: /private\n"
# The client gives up a request that takes longer, whatever held it up.
REQUEST_MAX = timedelta(seconds=60)


class ImpoliteVisit(AssertionError):
    """Invariant 7 is broken."""


@dataclass
class SimPage:
    """One URL as it answers now."""

    text: str | None
    links: tuple[str, ...]
    redirect: Redirect | None = None
    validators: bool = True
    poison: bool = False

    @property
    def etag(self) -> str:
        return f'"{content_hash(self.text or "", *self.links)[:12]}"'

    def body(self, url: str) -> bytes:
        if self.poison:
            return b"poison"
        paragraphs = paragraphs_of(self.text or "", url)
        page = {"title": f"Page {url}", "paragraphs": paragraphs, "links": self.links}
        return json.dumps(page).encode()


def paragraphs_of(text: str, url: str) -> list[str]:
    """Returns what a page says: two paragraphs that stay and one that carries its text."""
    name = urlsplit(url).path.strip("/").replace("/", " ") or "home"
    return [
        f"This page about {name} explains what the {name} is good for and how people use it.",
        f"The value of {name} is {text} and it was measured with the usual {text} procedure.",
        f"Questions about {name} are answered by the keepers of {name} every working day.",
    ]


@dataclass
class SimSite:
    """Implements the `PageSource` port."""

    stage: Stage
    clock: ManualClock
    rng: random.Random
    # Between any two requests to a host.
    delay: timedelta = timedelta(seconds=1)
    pages: dict[str, SimPage] = field(default_factory=dict)
    answers: list[tuple[datetime, str, int]] = field(default_factory=list)
    shown: dict[str, list[tuple[datetime, str | None]]] = field(default_factory=dict)
    ever_moved: set[str] = field(default_factory=set)
    _busy: dict[str, str] = field(default_factory=dict)
    _last: dict[str, datetime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        urls = [f"{host}{path}" for host in HOSTS for path in PATHS[host]]
        for url in urls:
            links = tuple(self.rng.sample(urls, 2))
            self.set(url, SimPage(text=self.rng.choice(TEXTS), links=links))
        # Every page of a host can be reached from its front page.
        for host in HOSTS:
            own = tuple(f"{host}{path}" for path in PATHS[host][1:])
            self.set(f"{host}/", SimPage(text="front", links=own))
        # One page that robots.txt forbids, and that nobody must ever ask for.
        front = self.pages[f"{HOSTS[0]}/"]
        front.links = (*front.links, f"{HOSTS[0]}/private/x")

    def set(self, url: str, page: SimPage) -> None:
        """Lets a URL answer differently from now on."""
        self.pages[url] = page
        gone = page.text is None or page.redirect is not None
        self.shown.setdefault(url, []).append((self.clock.now(), None if gone else page.text))

    def mutate(self) -> str:
        """Changes one page at random and says how."""
        url = self.rng.choice(sorted(self.pages))
        page = self.pages[url]
        kind = self.rng.choice(("text", "text", "revert", "vanish", "back", "move", "etag"))
        front = url.endswith(".example/")
        if kind == "text":
            page = SimPage(self.rng.choice(TEXTS), page.links, validators=page.validators)
        elif kind == "revert":
            texts = [text for _, text in self.shown.get(url, []) if text is not None]
            page = SimPage(texts[0] if texts else "alpha", page.links)
        elif kind == "vanish" and not front:
            page = SimPage(None, page.links)
        elif kind == "back" and page.text is None:
            page = SimPage("alpha", page.links)
        elif kind == "move" and not front:
            target = self.rng.choice((f"{url}-new", self._other(url)))
            self.ever_moved |= {url, target}
            redirect = Redirect(url=target, permanent=self.rng.random() < 0.7)
            self.pages.setdefault(target, SimPage(self.rng.choice(TEXTS), page.links))
            page = SimPage(page.text, page.links, redirect=redirect)
        elif kind == "etag":
            page = SimPage(page.text, page.links, page.redirect, not page.validators)
        self.set(url, page)
        return f"{kind} {url}"

    async def fetch(self, request: FetchRequest, gate: RequestGate) -> FetchResult:
        url = request.url
        redirects: tuple[Redirect, ...] = ()
        for _ in range(4):
            async with self._asked(url, gate):
                page = self.pages.get(url, SimPage(None, ()))
                if page.redirect is None:
                    return self._page_answer(request, url, redirects, page)
            url = page.redirect.url
            redirects = (*redirects, page.redirect)
            if not await gate.admits(url):
                return Failed(reason="REDIRECT_DENIED", detail="", retryable=False)
        return Failed(reason="REDIRECT_LOOP", detail="", retryable=False)

    async def fetch_plain(
        self,
        request: FetchRequest,
        gate: RequestGate,
        *,
        limit_bytes: int,
        redirects_max: int = 5,
        cut: bool = False,
        admitted_only: bool = False,
    ) -> FetchResult:
        url = request.url
        async with self._asked(url, gate):
            self.answers.append((self.clock.now(), url, 200))
            body = ROBOTS if url.endswith("/robots.txt") else b""
            return _fetched(url, (), body, "text/plain", "")

    @asynccontextmanager
    async def _asked(self, url: str, gate: RequestGate) -> AsyncIterator[None]:
        async with gate.request(url):
            entered = self._enter(url)
            try:
                await self.stage.effect(f"request {url}")
                yield
            finally:
                if self._last[host_key(url)] == entered:
                    self._busy.pop(host_key(url), None)

    async def close(self) -> None:
        return None

    def _page_answer(
        self, request: FetchRequest, url: str, redirects: tuple[Redirect, ...], page: SimPage
    ) -> FetchResult:
        if page.text is None:
            self.answers.append((self.clock.now(), url, 404))
            return Gone(final_url=url, redirects=redirects, status=404, response_seconds=0.01)
        matches = request.etag == page.etag and (request.validated_url or request.url) == url
        if page.validators and matches:
            self.answers.append((self.clock.now(), url, 304))
            return Unmodified(final_url=url, redirects=redirects, response_seconds=0.01)
        self.answers.append((self.clock.now(), url, 200))
        etag = page.etag if page.validators else ""
        return _fetched(url, redirects, page.body(url), "text/html", etag)

    def _enter(self, url: str) -> datetime:
        """Begins a request; one that was open for longer than any may be has been given up."""
        host, now = host_key(url), self.clock.now()
        if host in self._busy and now - self._last[host] < REQUEST_MAX:
            raise ImpoliteVisit(f"{url} while {self._busy[host]} is being fetched")
        if host in self._last and now - self._last[host] < self.delay:
            raise ImpoliteVisit(f"{url} only {now - self._last[host]} after the last request")
        self._busy[host] = url
        self._last[host] = now
        return now

    def _other(self, url: str) -> str:
        host = "/".join(url.split("/")[:3])
        return f"{host}{self.rng.choice(PATHS[host][1:])}"


def _fetched(
    url: str, redirects: tuple[Redirect, ...], body: bytes, media_type: str, etag: str
) -> Fetched:
    return Fetched(
        final_url=url,
        redirects=redirects,
        body=body,
        media_type=media_type,
        charset="utf-8",
        etag=etag,
        last_modified="",
        last_modified_time=None,
        content_language="",
        robots_tag="",
        response_seconds=0.01,
    )
