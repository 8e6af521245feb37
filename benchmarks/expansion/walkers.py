"""Baselines that look for the page that answers by fetching pages one by one, and what is known.

Each begins at the start page, fetches by HTTP as politely as a crawler, and stops as soon as the
gold pages are fetched, which no system could know: what they show is an order of pages.

    bfs: breadth first, links in the order of their pages.
    anchor_cosine: the link first that is most similar to the question, by the cosine of the
        project's embedder to the link's words with those around it.
    oracle: the shortest way by links to the gold pages.
"""

import asyncio
import heapq
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urljoin, urlsplit

import httpx

from benchmarks.expansion.links import Link, LinkGraph, links_of
from benchmarks.expansion.questions import Question
from scops.libraries.embedder.port import Embedder

STOPS = ("covered", "low_gain", "cost", "budget", "nothing_left")
FETCH_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Result:
    """What one side did for a question.

    Attributes:
        pages: URLs of the pages that were fetched, in order, each once.
        stopped: why it stopped, one of `STOPS`.
        cited_urls: of the pages that its answer quotes; none where it has no answer.
        seconds: from the question to the end.
    """

    pages: list[str]
    stopped: str
    cited_urls: list[str]
    seconds: float


class Researcher(Protocol):
    """The side `ours`: looks for an answer from a page on."""

    async def research(self, question: str, url: str, budget_pages: int) -> Result:
        """Returns what was fetched for a question, by a corpus that was empty before.

        Args:
            question: as people ask it.
            url: of the start page.
            budget_pages: at most so many pages are fetched.
        """


@dataclass(slots=True)
class Browser:
    """Fetches pages of one site, one at a time.

    Attributes:
        host_delay_seconds: at least from one request to the next.
        fetched: paths in the order in which they were asked for.
    """

    url: str
    client: httpx.AsyncClient
    host_delay_seconds: float
    fetched: list[str] = field(default_factory=list)
    _next: float = 0.0

    async def fetch(self, path: str) -> bytes:
        """Returns the body of a page; empty where it is missing or no HTML."""
        await asyncio.sleep(max(0.0, self._next - time.monotonic()))
        self._next = time.monotonic() + self.host_delay_seconds
        self.fetched.append(path)
        response = await self.client.get(self.url + path, timeout=FETCH_SECONDS)
        is_html = "html" in response.headers.get("content-type", "")
        return response.content if response.is_success and is_html else b""


class Walks:
    """All baselines on one site.

    Args:
        url: of the start page.
        graph: the true links of what is served.
        budget_pages: of each walk.
        host_delay_seconds: of each walk, as if it were alone.
    """

    def __init__(
        self,
        url: str,
        graph: LinkGraph,
        embedder: Embedder,
        *,
        budget_pages: int,
        host_delay_seconds: float,
    ) -> None:
        self._start = urlsplit(url).path
        self._origin = url.removesuffix(self._start)
        self._graph = graph
        self._embedder = embedder
        self._budget_pages = budget_pages
        self._delay_seconds = host_delay_seconds

    async def bfs(self, question: Question) -> Result:
        """Fetches breadth first."""
        return await self._walked(question, self._breadth_first)

    async def anchor_cosine(self, question: Question) -> Result:
        """Fetches the most similar link first."""
        return await self._walked(question, self._most_similar_first)

    async def oracle(self, question: Question) -> Result:
        """Fetches the shortest way; the start alone for a question without an answer."""
        way = shortest_way(self._graph, self._start, question.gold)

        async def along(browser: Browser, _: Question) -> AsyncIterator[str]:
            for path in way:
                await browser.fetch(path)
                yield path

        return await self._walked(question, along)

    async def _walked(self, question: Question, walk: "Walk") -> Result:
        started = time.monotonic()
        async with httpx.AsyncClient(trust_env=False) as client:
            browser = Browser(self._origin, client, self._delay_seconds)
            stopped = "nothing_left"
            async for _ in walk(browser, question):
                if question.answered_by(browser.fetched):
                    stopped = "covered"
                elif len(browser.fetched) >= self._budget_pages:
                    stopped = "budget"
                else:
                    continue
                break
        pages = [urljoin(self._origin, path) for path in browser.fetched]
        return Result(pages, stopped, [], time.monotonic() - started)

    async def _breadth_first(self, browser: Browser, _: Question) -> AsyncIterator[str]:
        waiting, seen = [self._start], {self._start}
        for path in waiting:
            body = await browser.fetch(path)
            yield path
            new = [link.path for link in links_of(body, path) if link.path not in seen]
            waiting.extend(dict.fromkeys(new))
            seen.update(new)

    async def _most_similar_first(self, browser: Browser, question: Question) -> AsyncIterator[str]:
        asked = (await self._embedder.embed([question.question], as_queries=True))[0]
        waiting = [(0.0, self._start)]
        fetched: set[str] = set()
        while waiting:
            _, path = heapq.heappop(waiting)
            if path in fetched:
                continue
            fetched.add(path)
            body = await browser.fetch(path)
            yield path
            links = [link for link in links_of(body, path) if link.path not in fetched]
            vectors = await self._embedder.embed([_told(link) for link in links])
            for link, cosine in zip(links, (vectors @ asked).tolist(), strict=True):
                heapq.heappush(waiting, (-cosine, link.path))


class Walk(Protocol):
    """An order of pages, each fetched when it is yielded."""

    def __call__(self, browser: Browser, question: Question, /) -> AsyncIterator[str]: ...


def shortest_way(graph: LinkGraph, start: str, gold: Sequence[Iterable[str]]) -> list[str]:
    """Returns the fewest pages that lead by links from a start to a page of each group, in order.

    Args:
        gold: at most two groups of pages; with none the start alone is returned.

    Returns:
        Empty where a group is not reached.
    """
    if not gold:
        return [start]
    left = [graph.steps_to(pages) for pages in gold]
    before = graph.steps_from(start)
    forks = [path for path in before if all(path in one for one in left)]
    if not forks:
        return []
    fork = min(forks, key=lambda path: before[path] + sum(one[path] for one in left))
    trunk = graph.path_to(start, (fork,))
    branches = (path for pages in gold for path in graph.path_to(fork, pages))
    return list(dict.fromkeys((*trunk, *branches)))


def _told(link: Link) -> str:
    return f"{link.anchor}: {link.context}"
