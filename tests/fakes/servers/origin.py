"""A well-behaved web site for tests: files, edits, validators, and a log of who asked when.

It serves folders laid over each other, the last one on top, as `examples/site` describes: a
`REMOVED` file in a folder lists paths that are gone, and `{origin}` in sitemap.xml is replaced.
Edits made while it runs act on the next request.

    async with Origin([Path("/usr/share/doc/postgresql-doc-15")]) as origin:
        origin.replace("/html/index.html", "<html>…</html>")
        ...
        assert origin.count(304) == 59

Tests that block the loop, and those that start processes, run it in a thread of its own:

    with running(Origin([folder])) as origin: ...
"""

import asyncio
import hashlib
import mimetypes
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from types import TracebackType

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

FIRST_MODIFIED = datetime(2024, 1, 1, tzinfo=UTC)
STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Logged:
    """One request, as the origin saw it.

    Args:
        path: with its query.
        status: answered; 0 where the client left before.
        started: seconds on the machine's monotone clock.
        ended: the same, when the answer was ready to be sent.
        headers: of the request.
        target: the request's path and query as they were sent.
    """

    path: str
    status: int
    started: float
    ended: float
    headers: Mapping[str, str]
    target: str = ""


class Origin:
    """One site on one port.

    Args:
        roots: folders, later ones over earlier ones; none serves only what is put in.
        validators: whether a path gets ETag and Last-Modified and is answered 304; a function of
            the path, or one answer for all.
        content_type: the Content-Type for HTML files; others go by their name.
        host: to listen on.
        port: 0 takes a free one.
    """

    def __init__(
        self,
        roots: Sequence[Path] = (),
        *,
        validators: bool | Callable[[str], bool] = True,
        content_type: str = "text/html; charset=utf-8",
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.requests: list[Logged] = []
        self._roots = [root.resolve() for root in roots]
        self._removed = {path for root in self._roots for path in _removed(root)}
        self._validators = validators if callable(validators) else lambda _: bool(validators)
        self._content_type = content_type
        self._host = host
        self._port = port
        self._put: dict[str, tuple[bytes, datetime, str]] = {}
        self._handlers: dict[str, Handler] = {}
        self._below: dict[str, Handler] = {}
        self._gone: dict[str, int] = {}
        self._first: list[Handler] = []
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """`http://host:port`, without a slash at the end."""
        return f"http://{self._host}:{self._port}"

    def replace(
        self, path: str, body: str | bytes, *, modified: datetime | None = None, type: str = ""
    ) -> None:
        """Serves another body under a path from now on; `modified` defaults to now."""
        content = body.encode() if isinstance(body, str) else body
        self._put[path] = (content, modified or datetime.now(UTC), type)
        self._gone.pop(path, None)

    def restore(self, path: str) -> None:
        """Undoes every edit of a path."""
        self._put.pop(path, None)
        self._gone.pop(path, None)
        self._handlers.pop(path, None)

    def remove(self, path: str, status: int = 404) -> None:
        """Answers a path with 404 or 410 from now on."""
        self._gone[path] = status

    def redirect(self, path: str, target: str, status: int = 301) -> None:
        """Redirects a path from now on."""

        async def redirected(_: web.Request) -> web.StreamResponse:
            return web.Response(status=status, headers={"Location": target})

        self.handle(path, redirected)

    def fail(self, path: str, status: int, **headers: str) -> None:
        """Answers a path with a status; header names take `_` for `-`."""

        async def failed(_: web.Request) -> web.StreamResponse:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return web.Response(status=status, headers=named, text=f"status {status}")

        self.handle(path, failed)

    def handle(self, path: str, handler: Handler) -> None:
        """Answers a path by a function from now on."""
        self._handlers[path] = handler

    def handle_below(self, prefix: str, handler: Handler) -> None:
        """Answers the paths below a prefix by a function, where nothing else is said of them."""
        self._below[prefix] = handler

    def answer_first(self, body: bytes = b"", *, status: int = 200, **headers: str) -> None:
        """Answers the next request so, whatever it asks for; header names take `_` for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}

        async def first(_: web.Request) -> web.StreamResponse:
            return web.Response(status=status, headers=named, body=body)

        self._first.append(first)

    def body(self, path: str) -> bytes | None:
        """Returns what a path serves now, or None where it is gone."""
        found = self._find(path)
        return found[0] if found else None

    def count(self, status: int | None = None, *, path: str | None = None) -> int:
        """Counts logged requests; robots.txt and sitemaps count like others."""
        return sum(
            (status is None or logged.status == status) and (path is None or logged.path == path)
            for logged in self.requests
        )

    def paths(self) -> list[str]:
        """Returns the logged paths in the order of their requests."""
        return [logged.path for logged in sorted(self.requests, key=lambda one: one.started)]

    def gaps_seconds(self) -> list[float]:
        """Returns the time from each request's start to the next one's."""
        starts = sorted(logged.started for logged in self.requests)
        return [later - earlier for earlier, later in pairwise(starts)]

    def overlaps(self) -> int:
        """Counts requests that began before an earlier one had ended."""
        ordered = sorted(self.requests, key=lambda one: one.started)
        latest, count = 0.0, 0
        for logged in ordered:
            count += logged.started < latest
            latest = max(latest, logged.ended)
        return count

    def clear_log(self) -> None:
        """Forgets the requests so far."""
        self.requests.clear()

    async def start(self) -> "Origin":
        """Starts listening."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._host, self._port).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def stop(self) -> None:
        """Stops; the log stays."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> "Origin":
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        started = time.monotonic()
        status = 0
        try:
            response = await self._respond(request)
            status = response.status
            return response
        finally:
            headers = dict(request.headers)
            self.requests.append(
                Logged(
                    request.path_qs,
                    status,
                    started,
                    time.monotonic(),
                    headers,
                    request.raw_path,
                )
            )

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        if self._first:
            return await self._first.pop(0)(request)
        handler = self._handlers.get(request.path_qs) or self._handlers.get(request.path)
        if handler is not None:
            return await handler(request)
        found = self._find(request.path)
        if found is None:
            for prefix, below in self._below.items():
                if request.path.startswith(prefix):
                    return await below(request)
            return web.Response(status=self._gone.get(request.path, 404), text="Not here.")
        body, modified, content_type = found
        headers = {"Content-Type": content_type}
        if self._validators(request.path):
            etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
            stamp = format_datetime(modified, usegmt=True)
            headers |= {"ETag": etag, "Last-Modified": stamp}
            if _is_unmodified(request, etag, stamp):
                return web.Response(status=304, headers=headers)
        return web.Response(body=body, headers=headers)

    def _find(self, path: str) -> tuple[bytes, datetime, str] | None:
        if path in self._gone:
            return None
        if path in self._put:
            body, modified, content_type = self._put[path]
            return body, modified, content_type or self._type_of(path)
        file = self._file(path)
        if file is None:
            return None
        body = file.read_bytes()
        if file.name == "sitemap.xml":
            body = body.replace(b"{origin}", self.url.encode())
        return body, FIRST_MODIFIED, self._type_of(file.name)

    def _file(self, path: str) -> Path | None:
        relative = path.lstrip("/")
        if relative == "" or relative.endswith("/"):
            relative += "index.html"
        if relative in self._removed or relative == "REMOVED":
            return None
        for root in reversed(self._roots):
            file = (root / relative).resolve()
            if file.is_relative_to(root) and file.is_file():
                return file
        return None

    def _type_of(self, name: str) -> str:
        if name.endswith((".html", ".htm", "/")) or "." not in name.rpartition("/")[2]:
            return self._content_type
        return mimetypes.guess_type(name)[0] or "application/octet-stream"


@contextmanager
def running(origin: Origin) -> Iterator[Origin]:
    """Runs an origin in a thread with a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="origin", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(origin.start(), loop).result(STOP_SECONDS)
        yield origin
    finally:
        asyncio.run_coroutine_threadsafe(origin.stop(), loop).result(STOP_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STOP_SECONDS)
        loop.close()


def _removed(root: Path) -> list[str]:
    file = root / "REMOVED"
    if not file.is_file():
        return []
    return [line.strip() for line in file.read_text().splitlines() if line.strip()]


def _is_unmodified(request: web.Request, etag: str, stamp: str) -> bool:
    """RFC 9110 section 13.2.2: If-Modified-Since counts only without If-None-Match."""
    if "If-None-Match" in request.headers:
        return etag in request.headers["If-None-Match"]
    return request.headers.get("If-Modified-Since") == stamp
