"""A `Browser` on Chromium: a process for many pages, each in a context of its own, replaced often.

Chromium is told of a proxy that does not exist and of no name server, so that whatever a page
tries beside what is handed to it (WebSockets, WebRTC, prefetches) finds nothing.
"""

import asyncio
import os
import shutil
import tempfile
from contextlib import AsyncExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scops.common.observe.log import get_logger
from scops.fetcher.adapters.browser.rendering import BrowserBroke, RenderLimits, render_page
from scops.fetcher.ports.browser import PartLoader, Rendering
from scops.fetcher.ports.page_source import Failed, Fetched

log = get_logger("fetcher.browser")
AUTO = "auto"
OFF = "off"
REMOTE = ("ws://", "wss://")
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
HEAP_MEBIBYTES = 512
# What each of its processes may write to, heap and buffers: one that takes more ends, and with it
# the page.
PROCESS_MEBIBYTES = 1536
LAUNCH_SECONDS = 30.0
CLOSE_SECONDS = 5.0
PAGES_A_PROCESS = 50
NO_NETWORK = (
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
ARGUMENTS = (
    *NO_NETWORK,
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--blink-settings=imagesEnabled=false",
    f"--js-flags=--max-old-space-size={HEAP_MEBIBYTES}",
)


def found_browser(named: str) -> str:
    """Returns the Chromium that a setting names, or finds; empty where there is none to use.

    Args:
        named: `auto`, `off`, a path, or the address of a `scops browser` elsewhere.
    """
    if named == OFF:
        return ""
    if named != AUTO:
        return named
    if find_spec("playwright") is None:
        return ""
    return next((path for name in NAMES if (path := shutil.which(name))), "")


def launch_options(executable: str, *, folder: str, sandbox: bool = True) -> dict[str, Any]:
    """Returns how Playwright starts Chromium: bounded, and without a network.

    Args:
        folder: holds the script that sets the bounds; only we write there.
        sandbox: Chromium's own, which it refuses to root.
    """
    script = Path(folder) / "chromium"
    script.write_text(
        f'#!/bin/sh\nulimit -d {PROCESS_MEBIBYTES * 1024}\nexec "{executable}" "$@"\n'
    )
    script.chmod(0o700)
    return {
        "executable_path": str(script),
        "args": list(ARGUMENTS),
        "chromium_sandbox": sandbox and os.geteuid() != 0,
        "handle_sigint": False,
        "handle_sigterm": False,
        "timeout": LAUNCH_SECONDS * 1000,
    }


class Chromium:
    """A `Browser`; see there for the contract.

    Args:
        place: the path of Chromium, or the address of a `scops browser`.
        pages_at_once: further ones wait.
        limits: bounds of every page.
    """

    def __init__(self, place: str, *, pages_at_once: int, limits: RenderLimits) -> None:
        self._place = place
        self._limits = limits
        self._slots = asyncio.Semaphore(pages_at_once)
        self._turn = asyncio.Lock()
        self._process: _Process | None = None

    async def render(
        self, document: Fetched, load: PartLoader, *, parts_max: int
    ) -> Rendering | Failed:
        """Runs a document's scripts until it rests and gives what it shows then."""
        async with self._slots:
            try:
                process = await self._entered()
            except BrowserBroke as error:
                return _unavailable(str(error))
            try:
                return await render_page(
                    process.browser, document, load, parts_max=parts_max, limits=self._limits
                )
            except BrowserBroke as error:
                process.broken = True
                log.info("browser_broke", why=str(error))
                return _broken(document.final_url)
            finally:
                await self._leave(process)

    async def close(self) -> None:
        """Ends the browser."""
        async with self._turn:
            process, self._process = self._process, None
        if process is not None:
            await process.end()

    async def _entered(self) -> "_Process":
        async with self._turn:
            if self._process is None or self._process.is_worn:
                old = self._process
                self._process = None
                if old is not None and not old.pages:
                    await old.end()
                self._process = await _started(self._place)
            self._process.pages += 1
            self._process.rendered += 1
            return self._process

    async def _leave(self, process: "_Process") -> None:
        process.pages -= 1
        if process.pages or not process.is_worn:
            return
        async with self._turn:
            if self._process is process:
                self._process = None
        if not process.pages:
            await process.end()


class _Process:
    """One Chromium, and how many pages are in it."""

    def __init__(self, browser: Any, held: AsyncExitStack) -> None:
        self.browser = browser
        self.pages = 0
        self.rendered = 0
        self.broken = False
        self._held = held

    @property
    def is_worn(self) -> bool:
        """Whether no further page is to be rendered in it."""
        return self.broken or self.rendered >= PAGES_A_PROCESS or not self.browser.is_connected()

    async def end(self) -> None:
        """Ends it, by force where it does not end."""
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.browser.close()
        with suppress(Exception):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._held.aclose()


async def _started(place: str) -> _Process:
    """Starts Chromium, or asks a `scops browser` for one.

    Raises:
        BrowserBroke: there is none.
    """
    try:
        from playwright.async_api import Error, async_playwright
    except ImportError as error:
        raise BrowserBroke("Playwright is missing: pip install 'scops[browser]'.") from error
    held = AsyncExitStack()
    try:
        playwright = await held.enter_async_context(async_playwright())
        if place.startswith(REMOTE):
            browser = await playwright.chromium.connect(place, timeout=LAUNCH_SECONDS * 1000)
        else:
            folder = held.enter_context(tempfile.TemporaryDirectory(prefix="scops-browser-"))
            browser = await playwright.chromium.launch(**launch_options(place, folder=folder))
    except Error as error:
        await held.aclose()
        raise BrowserBroke(error.message.partition("\n")[0]) from error
    except BaseException:
        await held.aclose()
        raise
    log.info("browser_started", version=browser.version)
    return _Process(browser, held)


def _unavailable(why: str) -> Failed:
    return Failed(
        reason="BROWSER_UNAVAILABLE",
        detail=f"The page needs a browser, and none starts: {why} It is tried again later.",
        retryable=True,
    )


def _broken(url: str) -> Failed:
    return Failed(
        reason="RENDER_FAILED",
        detail=f"The scripts of {url} took more time or memory than a page is given, or ended the "
        "browser. It is tried again later.",
        retryable=True,
    )
