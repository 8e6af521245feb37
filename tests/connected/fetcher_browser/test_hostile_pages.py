"""What a page does to the browser, or by it, hurts nothing but the page."""

import asyncio
import os
import shutil

import pytest

from scops.fetcher.adapters.browser.chromium import Chromium
from scops.fetcher.ports.browser import Rendering
from scops.fetcher.ports.page_source import Failed
from tests.connected.fetcher_browser.conftest import (
    IMPATIENT,
    LIMITS,
    Parts,
    Show,
    document,
    kill_chromium,
)
from tests.connected.fetcher_browser.test_rendering import text_of

STUCK = {
    "loop": "while (true) {}",
    "heap": "const k = []; for (let i = 0; ; i++) k.push({i, text: 'x' + i})",
    "elements": "for (;;) document.body.append(Object.assign(document.createElement('p'),"
    " {textContent: 'x'.repeat(1000)}))",
    "late loop": "setTimeout(() => { while (true) {} }, 300)",
}


@pytest.mark.parametrize("script", STUCK.values(), ids=STUCK)
async def test_a_page_that_takes_everything_fails_alone(parts: Parts, script: str) -> None:
    """It may be tried again; the next page finds a browser."""
    browser = Chromium(shutil.which("chromium") or "", pages_at_once=1, limits=IMPATIENT)
    page = document(f"<html><body><script>{script}</script></body></html>")
    stuck = await browser.render(page, parts.load, parts_max=0)
    well = document("<html><body>well</body></html>")
    after = [await browser.render(well, parts.load, parts_max=0) for _ in range(3)]
    await browser.close()

    assert isinstance(stuck, Failed)
    assert ("RENDER_FAILED", True) == (stuck.reason, stuck.retryable)
    assert "well" in [text_of(one) for one in after if isinstance(one, Rendering)]


async def test_buffers_are_bounded(show: Show) -> None:
    """They are not on the heap: the process has a bound of its own."""
    shown = await show(
        "let size = 0; try { const k = []; for (;;) { const a = new Uint8Array(5e7); a.fill(1);"
        " k.push(a); size += 50 } } catch (e) { root.textContent = size < 4000 ? 'bound' : size }"
    )

    assert isinstance(shown, Failed) or "bound" == text_of(shown)


async def test_a_page_that_shows_too_much_is_refused(show: Show) -> None:
    """Before it is taken over whole."""
    shown = await show("root.textContent = 'x'.repeat(2e6)")

    assert isinstance(shown, Failed)
    assert ("BODY_TOO_LARGE", False) == (shown.reason, shown.retryable)


async def test_nothing_leaves_the_browser(show: Show, parts: Parts) -> None:
    """Neither sockets, nor pictures, beacons, frames, workers or what asks for names."""
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.read(100))
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    shown = await show(
        html="<html><head><link rel=preconnect href=http://PLACE><link rel=prefetch"
        " href=http://PLACE/prefetch><link rel=icon href=http://PLACE/icon></head><body>"
        "<img src=http://PLACE/i><iframe src=http://PLACE/f></iframe><video src=http://PLACE/v>"
        "</video><object data=http://PLACE/o></object><p id=p></p><script>"
        "new WebSocket('ws://PLACE/ws'); new EventSource('http://PLACE/es');"
        "navigator.sendBeacon('http://PLACE/b', 'x');"
        "fetch('http://PLACE/post', {method: 'POST', body: 'x'}).catch(() => 0);"
        "new RTCPeerConnection({iceServers: [{urls: 'stun:PLACE'}]}).createDataChannel('a');"
        "try { new Worker(URL.createObjectURL(new Blob(["
        "`fetch('http://PLACE/worker')`]))) } catch (e) {}"
        "navigator.serviceWorker?.register('/sw.js').catch(() => 0);"
        "p.textContent = 'done'</script></body></html>".replace("PLACE", place)
    )
    server.close()

    assert "done" in text_of(shown)
    assert [] == heard
    # Of what a script may ask for, the caller decides, by its address.
    assert set(parts.asked) <= {f"http://{place}/worker", f"http://{place}/es"}


async def test_a_page_stays_where_it_is(show: Show, parts: Parts) -> None:
    """It opens no window, asks nobody, and goes nowhere."""
    shown = await show(
        "alert(1); confirm('?'); prompt('?'); print(); open('/pop'); root.textContent = 'here';"
        "location.href = 'https://elsewhere.example/'; document.forms"
    )

    assert "here" == text_of(shown)
    assert [] == parts.asked


async def test_a_page_cannot_answer_for_us(show: Show) -> None:
    """What it does to the functions that read it costs it its text, at most."""
    shown = await show(
        "window.getComputedStyle = () => { throw new Error('no') }; root.textContent = 'x'"
    )

    assert isinstance(shown, Failed)


async def test_a_browser_that_dies_is_replaced(chromium: Chromium, parts: Parts) -> None:
    """The page that it had fails, for now; the next one finds another."""
    page = document("<html><body><p>well</p></body></html>")
    await chromium.render(page, parts.load, parts_max=0)
    kill_chromium(os.getpid())
    await asyncio.sleep(1)
    after = [await chromium.render(page, parts.load, parts_max=0) for _ in range(2)]

    assert "well" == text_of(after[1])


async def test_a_browser_that_is_missing_is_named(parts: Parts) -> None:
    """The page is tried again later: somebody may install it."""
    page = document("<html><body><p>well</p></body></html>")
    for place in ("/no/such/chromium", "ws://127.0.0.1:9/token"):
        browser = Chromium(place, pages_at_once=1, limits=LIMITS)
        failed = await browser.render(page, parts.load, parts_max=0)
        await browser.close()
        assert isinstance(failed, Failed)
        assert ("BROWSER_UNAVAILABLE", True) == (failed.reason, failed.retryable)


async def test_pages_wait_for_each_other(parts: Parts) -> None:
    """No more than a setting says are in the browser at once."""
    executable = shutil.which("chromium") or ""
    browser = Chromium(executable, pages_at_once=1, limits=LIMITS)
    page = document("<html><body><p>well</p></body></html>")
    shown = await asyncio.gather(*(browser.render(page, parts.load, parts_max=0) for _ in range(3)))
    await browser.close()

    assert all(isinstance(one, Rendering) for one in shown)
