"""The site that a benchmark crawls: pages from memory, half of them without validators.

It runs in a thread of the benchmark's process, whose CPU time is not counted.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Self
from urllib.parse import unquote

from aiohttp import web

from benchmarks.shared.system.html_pages import sitemap
from benchmarks.shared.system.serving import serving

FIRST_MODIFIED = datetime(2024, 1, 1, tzinfo=UTC)
LLMS_TXT = "/llms.txt"
SITEMAP = "/sitemap.xml"
ROBOTS = b"User-agent: *\nAllow: /\n"


class Origin:
    """One site on a free port of the loopback.

    Args:
        pages: bodies by path; every second one is served with ETag and Last-Modified.

    Attributes:
        answered: how many answers there were by status, sitemap, robots.txt and llms.txt left out.
    """

    def __init__(self, pages: Mapping[str, bytes]) -> None:
        self.answered: Counter[int] = Counter()
        self._pages = dict(pages)
        # Clients may percent-encode more or less than we do.
        self._by_name = {unquote(path): path for path in pages}
        self._etags = {path: _etag(body) for path, body in list(pages.items())[::2]}
        self._modified: dict[str, datetime] = {}
        self._port = 0

    @property
    def url(self) -> str:
        """`http://host:port`, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def paths(self) -> list[str]:
        """The paths of all pages, in their order."""
        return list(self._pages)

    def body(self, path: str) -> bytes:
        """Returns what a page shows now."""
        return self._pages[path]

    def edit(self, path: str, body: bytes) -> None:
        """Serves another body from the next request on."""
        self._pages[path] = body
        self._modified[path] = datetime.now(UTC)
        if path in self._etags:
            self._etags[path] = _etag(body)

    @contextmanager
    def running(self) -> Iterator[Self]:
        """Serves in a thread with a loop of its own."""
        with serving(self._answer) as self._port:
            yield self

    async def _answer(self, request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(body=ROBOTS, content_type="text/plain")
        if request.path == LLMS_TXT:
            return web.Response(status=404, text="Not here.")
        if request.path == SITEMAP:
            return web.Response(body=sitemap(self.url, self._pages), content_type="text/xml")
        response = self._page(request)
        self.answered[response.status] += 1
        return response

    def _page(self, request: web.Request) -> web.Response:
        path = self._by_name.get(request.path, "")
        if not path:
            return web.Response(status=404, text="Not here.")
        # No charset: a page may be in any, and says so itself.
        headers = {"Content-Type": "text/html"}
        etag = self._etags.get(path)
        if etag is not None:
            modified = self._modified.get(path, FIRST_MODIFIED)
            headers |= {"ETag": etag, "Last-Modified": format_datetime(modified, usegmt=True)}
            if etag in request.headers.get("If-None-Match", ""):
                return web.Response(status=304, headers=headers)
        return web.Response(body=self._pages[path], headers=headers)


def _etag(body: bytes) -> str:
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
