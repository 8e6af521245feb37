"""A stand-in for Firecrawl's service: version 2 of its API, with answers in its recorded shapes.

Pages are what it would fetch; who asks with another key is refused.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.fakes.servers.origin import Origin

KEY = "fc-5f3c9a7b1d2e4f60"
JOB = "0198f1c2-7a60-7000-8000-000000000001"


@dataclass
class Firecrawl:
    """The service on an origin.

    Attributes:
        pages: by URL, status and HTML.
        markdown: what it has read in some of them, by URL.
        polls: how often a crawl is asked for before it is through.
        at_once: pages in one part of what a crawl found.
        ends_as: how a crawl ends.
        damaged: pages that are told in another form.
    """

    origin: Origin
    pages: dict[str, tuple[int, str]] = field(default_factory=dict)
    markdown: dict[str, str] = field(default_factory=dict)
    polls: int = 1
    at_once: int = 2
    ends_as: str = "completed"
    damaged: set[str] = field(default_factory=set)
    asked: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.origin.handle("/v2/scrape", self._scrape)
        self.origin.handle("/v2/map", self._map)
        self.origin.handle("/v2/crawl", self._crawl)
        self.origin.handle(f"/v2/crawl/{JOB}", self._status)

    @property
    def url(self) -> str:
        """Of its API."""
        return self.origin.url

    async def _scrape(self, request: web.Request) -> web.StreamResponse:
        asked = await self._request(request)
        if asked["url"] not in self.pages:
            error = {
                "success": False,
                "code": "SCRAPE_DNS_RESOLUTION_ERROR",
                "error": "No such host",
            }
            return web.json_response(error, status=400)
        return web.json_response({"success": True, "data": self._document(asked["url"])})

    async def _map(self, request: web.Request) -> web.StreamResponse:
        asked = await self._request(request)
        links = [{"url": url, "title": ""} for url in list(self.pages)[: asked.get("limit")]]
        return web.json_response({"success": True, "links": links})

    async def _crawl(self, request: web.Request) -> web.StreamResponse:
        await self._request(request)
        return web.json_response({"success": True, "id": JOB, "url": f"{self.url}/v2/crawl/{JOB}"})

    async def _status(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        total = len(self.pages)
        fixed = {"success": True, "total": total, "creditsUsed": total}
        if self.polls:
            self.polls -= 1
            return web.json_response({**fixed, "status": "scraping", "completed": 0, "data": []})
        begin = int(request.query.get("skip", 0))
        found = list(self.pages)[begin : begin + self.at_once]
        part = {"completed": total, "data": [self._document(url) for url in found]}
        end = begin + self.at_once
        more = {"next": f"{self.url}/v2/crawl/{JOB}?skip={end}"} if end < total else {}
        expires = "2030-01-01T00:00:00.000Z"
        return web.json_response(
            {**fixed, **part, **more, "status": self.ends_as, "expiresAt": expires}
        )

    def _document(self, url: str) -> dict[str, Any]:
        status, html = self.pages[url]
        if url in self.damaged:
            return {"rawHtml": [html], "metadata": "none"}
        stated = {"sourceURL": url, "url": url, "statusCode": status, "cacheState": "miss"}
        kind = "application/pdf" if url.endswith(".pdf") else "text/html"
        read = {"markdown": self.markdown[url]} if url in self.markdown else {}
        return {
            "rawHtml": html,
            **read,
            "metadata": {**stated, "contentType": kind, "creditsUsed": 1},
        }

    async def _request(self, request: web.Request) -> dict[str, Any]:
        self._check(request)
        asked: dict[str, Any] = await request.json()
        self.asked.append(asked)
        return asked

    def _check(self, request: web.Request) -> None:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            said = json.dumps({"success": False, "error": "Unauthorized: Invalid token"})
            raise web.HTTPUnauthorized(text=said, content_type="application/json")
