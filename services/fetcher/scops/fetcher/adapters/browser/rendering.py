"""One page in a browser: what it asks for is handed to it, until it rests; then it is read."""

import asyncio
import time
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from scops.fetcher.ports.browser import PagePart, PartLoader, Rendering
from scops.fetcher.ports.page_source import Failed, Fetched

# What the text of a page may depend on; pictures, fonts and sound it does not.
LOADED = frozenset({"script", "stylesheet", "fetch", "xhr"})
METHODS = frozenset({"GET", "HEAD"})
NO_CONTENT = 204
POLL_SECONDS = 0.1
SCRIPTS = files("scops.fetcher.adapters.browser")
PREPARE = SCRIPTS.joinpath("prepare.js").read_text()
SERIALISE = SCRIPTS.joinpath("serialise.js").read_text()
# What a page shows, in short, so that two looks at it can be compared; and how tall it is.
LOOK = """() => {
  const text = document.body ? document.body.innerText : "";
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) | 0;
  return `${text.length}:${sum}:${document.readyState}`;
}"""
SCROLL = """() => {
  const before = window.scrollY;
  window.scrollBy(0, window.innerHeight);
  return window.scrollY > before;
}"""


class BrowserBroke(Exception):
    """The browser, or the page in it, is not to be used any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderLimits:
    """Bounds of what a page takes.

    Attributes:
        own_seconds: while nothing that it asked for is on its way.
        total_seconds: in all.
        rest_seconds: how long it shows the same, with nothing on its way, when it rests.
        scrolls: screens that are scrolled down, for text that comes when it is looked at.
        html_bytes: of what it shows, in characters.
        answer_seconds: that the browser takes for anything; longer, and the page runs in a loop.
    """

    own_seconds: float = 15.0
    total_seconds: float = 240.0
    rest_seconds: float = 0.5
    scrolls: int = 10
    html_bytes: int = 16 * 1024 * 1024
    answer_seconds: float = 15.0


async def render_page(
    browser: Any, document: Fetched, load: PartLoader, *, parts_max: int, limits: RenderLimits
) -> Rendering | Failed:
    """Shows a document to a page of its own context and reads what it became.

    Raises:
        BrowserBroke: the browser, or the page, does not answer.
    """
    from playwright.async_api import Error

    traffic = _Traffic(document=document, load=load, left=parts_max, error=Error)
    context = None
    try:
        context = await _answered(
            browser.new_context(
                service_workers="block",
                accept_downloads=False,
                reduced_motion="reduce",
                viewport={"width": 1280, "height": 1600},
            ),
            limits,
        )
        page = await _answered(_prepared(context, traffic), limits)
        await _answered(page.goto(document.final_url, wait_until="commit"), limits)
        whole = await _rest(page, traffic, limits)
        if traffic.failure is not None:
            raise traffic.failure
        html = await _answered(page.evaluate(SERIALISE, limits.html_bytes), limits)
    except (Error, TimeoutError) as error:
        if traffic.failure is not None:
            raise traffic.failure from error
        raise BrowserBroke(str(error).partition("\n")[0] or "It did not answer.") from error
    finally:
        traffic.end()
        if context is not None:
            await _closed(context, limits)
    if not isinstance(html, str) or len(html) > limits.html_bytes:
        return _too_large(document.final_url, limits)
    return Rendering(html=html, whole=whole)


async def _prepared(context: Any, traffic: "_Traffic") -> Any:
    await context.add_init_script(PREPARE)
    await context.route("**/*", traffic.answer)
    await context.route_web_socket("**/*", _refuse_socket)
    page = await context.new_page()
    page.on("popup", _close_popup)
    page.on("dialog", _dismiss)
    return page


def _refuse_socket(socket: Any) -> None:
    """Leaves a WebSocket without anybody on its other side: it opens, and nothing comes."""


async def _close_popup(page: Any) -> None:
    await page.close()


async def _dismiss(dialog: Any) -> None:
    await dialog.dismiss()


async def _answered(waiting: Any, limits: RenderLimits) -> Any:
    """Awaits an answer of the browser.

    Raises:
        TimeoutError: it takes too long.
    """
    async with asyncio.timeout(limits.answer_seconds):
        return await waiting


async def _closed(context: Any, limits: RenderLimits) -> None:
    try:
        await _answered(context.close(), limits)
    except Exception as error:
        raise BrowserBroke("A page could not be closed.") from error


# Without slots: Playwright notes on the object that a handler is bound to what it made of it.
@dataclass(kw_only=True)
class _Traffic:
    """What a page asks for, and what it is given.

    Attributes:
        left: parts that it may still ask for.
        held: parts by URL: who asks again is given the same.
        error: of the browser.
        failure: what `load` raised.
    """

    document: Fetched
    load: PartLoader
    left: int
    error: type[Exception]
    held: dict[str, asyncio.Task[PagePart | None]] = field(default_factory=dict)
    failure: BaseException | None = None
    _shown: bool = False
    _answering: int = 0

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is on its way."""
        return not self._answering

    async def answer(self, route: Any) -> None:
        """Gives a page what it asks for, or nothing."""
        self._answering += 1
        try:
            await self._answer(route)
        except self.error:
            # The page has gone meanwhile; what happened to it the reader of the page is told.
            return
        finally:
            self._answering -= 1

    def end(self) -> None:
        """Gives up what is on its way."""
        for task in self.held.values():
            task.cancel()

    async def _answer(self, route: Any) -> None:
        request = route.request
        if request.is_navigation_request():
            await self._navigate(route)
            return
        wanted = request.resource_type in LOADED and request.method in METHODS
        part = await self._part(request.url.partition("#")[0]) if wanted else None
        if part is None:
            await route.abort()
            return
        # What it may read is decided by what it is given, whichever host of its site has it.
        headers = {
            "access-control-allow-origin": request.headers.get("origin", "*"),
            "access-control-allow-credentials": "true",
        }
        if part.content_type:
            headers["content-type"] = part.content_type
        await route.fulfill(status=part.status, headers=headers, body=part.body)

    async def _navigate(self, route: Any) -> None:
        """Shows the document, once; where else a page wants to go, it does not."""
        if self._shown:
            # An answer without content leaves what stands (RFC 9110 section 15.3.5).
            await route.fulfill(status=NO_CONTENT)
            return
        self._shown = True
        document = self.document
        charset = f"; charset={document.charset}" if document.charset else ""
        headers = {"content-type": document.media_type + charset}
        await route.fulfill(status=200, headers=headers, body=document.body)

    async def _part(self, url: str) -> PagePart | None:
        task = self.held.get(url)
        if task is None:
            if self.left <= 0 or self.failure is not None:
                return None
            self.left -= 1
            task = self.held[url] = asyncio.ensure_future(self.load(url))
        # Not cancelled with whoever waits: another may wait for the same.
        await asyncio.wait([task])
        if task.cancelled():
            return None
        self.failure = self.failure or task.exception()
        return None if task.exception() else task.result()


async def _rest(page: Any, traffic: _Traffic, limits: RenderLimits) -> bool:
    """Waits until a page rests, scrolled down, or its time is up; says whether it has all it wants.

    What goes on moving, such as a clock, is read as it stands.
    """
    watch = _Watch(limits)
    for _ in range(limits.scrolls + 1):
        if not await _settled(page, traffic, watch):
            return traffic.is_quiet
        if not await _answered(page.evaluate(SCROLL), limits):
            return True
    return True


@dataclass(slots=True)
class _Watch:
    """The time that a page has taken, with and without what it asked for on its way."""

    limits: RenderLimits
    started: float = field(default_factory=time.monotonic)
    own: float = 0.0

    @property
    def is_over(self) -> bool:
        total = time.monotonic() - self.started
        return self.own > self.limits.own_seconds or total > self.limits.total_seconds


async def _settled(page: Any, traffic: _Traffic, watch: _Watch) -> bool:
    """Waits until a page shows the same for a while with nothing on its way."""
    seen, since = "", time.monotonic()
    while traffic.failure is None:
        if watch.is_over:
            return False
        begun = time.monotonic()
        look = await _answered(page.evaluate(LOOK), watch.limits)
        if look != seen or not traffic.is_quiet:
            seen, since = look, time.monotonic()
        elif time.monotonic() - since >= watch.limits.rest_seconds and "loading" not in look:
            return True
        await asyncio.sleep(POLL_SECONDS)
        if traffic.is_quiet:
            watch.own += time.monotonic() - begun
    return False


def _too_large(url: str, limits: RenderLimits) -> Failed:
    return Failed(
        reason="BODY_TOO_LARGE",
        detail=f"What {url} shows is longer than {limits.html_bytes} characters.",
        retryable=False,
    )
