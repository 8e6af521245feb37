"""A browser that serves fetchers of other machines."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scops.fetcher.adapters.browser.chromium import Chromium
from scops.fetcher.adapters.browser.server import MEMORY_BYTES, memory_bytes
from scops.fetcher.ports.page_source import Failed
from tests.connected.fetcher_browser.conftest import LIMITS, Parts, document, kill_chromium
from tests.connected.fetcher_browser.test_rendering import text_of
from tests.connected.waiting import until
from tests.fakes.servers.machine import free_port

TOKEN = "5f3c9a7b1d2e4f6081a3"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """`scops browser`, as somebody starts it."""
    file, port = tmp_path / "token", free_port()
    file.write_text(TOKEN)
    command = [
        *(sys.executable, "-m", "scops.standalone", "browser", "--token-file", str(file)),
        *("--port", str(port)),
    ]
    child = subprocess.Popen(command)
    yield child, port
    child.terminate()
    assert 0 == child.wait(30)


async def test_it_shows_pages_to_who_knows_the_token(
    served: tuple[subprocess.Popen[bytes], int], parts: Parts
) -> None:
    """Many, each with what it asks for; without the token, none."""
    _, port = served
    page = document("<html><body><p id=p></p><script src=/a.js></script></body></html>")
    parts.script("/a.js", "p.textContent = 'well'")
    browser = Chromium(f"ws://127.0.0.1:{port}/{TOKEN}", pages_at_once=2, limits=LIMITS)
    stranger = Chromium(f"ws://127.0.0.1:{port}/", pages_at_once=2, limits=LIMITS)

    async def is_up() -> bool:
        return not isinstance(await browser.render(page, parts.load, parts_max=5), Failed)

    await until(is_up, timeout_seconds=30)
    shown = [await browser.render(page, parts.load, parts_max=5) for _ in range(3)]
    refused = await stranger.render(page, parts.load, parts_max=5)
    await browser.close()
    await stranger.close()

    assert ["well"] * 3 == [text_of(one) for one in shown]
    assert isinstance(refused, Failed)
    assert "BROWSER_UNAVAILABLE" == refused.reason


async def test_a_browser_that_died_is_started_again(
    served: tuple[subprocess.Popen[bytes], int], parts: Parts
) -> None:
    """Fetchers find it where it was."""
    child, port = served
    page = document("<html><body><p>well</p></body></html>")
    browser = Chromium(f"ws://127.0.0.1:{port}/{TOKEN}", pages_at_once=2, limits=LIMITS)

    async def is_up() -> bool:
        return not isinstance(await browser.render(page, parts.load, parts_max=0), Failed)

    await until(is_up, timeout_seconds=30)
    kill_chromium(child.pid)
    assert isinstance(await browser.render(page, parts.load, parts_max=0), Failed)
    await until(is_up, timeout_seconds=60)
    await browser.close()


async def test_what_the_browser_holds_is_counted(
    served: tuple[subprocess.Popen[bytes], int], parts: Parts
) -> None:
    """All of its processes, for it is replaced when it has grown."""
    child, port = served
    page = document("<html><body><script>held = new Uint8Array(3e8).fill(1)</script></body></html>")
    browser = Chromium(f"ws://127.0.0.1:{port}/{TOKEN}", pages_at_once=2, limits=LIMITS)

    async def is_up() -> bool:
        empty = document("<html><body><p>well</p></body></html>")
        return not isinstance(await browser.render(empty, parts.load, parts_max=0), Failed)

    await until(is_up, timeout_seconds=30)
    at_rest = memory_bytes(child.pid)
    showing = asyncio.create_task(browser.render(page, parts.load, parts_max=0))
    most = at_rest
    while not showing.done():
        most = max(most, memory_bytes(child.pid))
        await asyncio.sleep(0.02)
    await browser.close()

    assert 100e6 < at_rest < MEMORY_BYTES / 2
    assert most - at_rest > 250e6


@pytest.mark.parametrize("token", ["", "short", "with/slash/1234567890"])
def test_a_token_that_keeps_nobody_out_is_refused(tmp_path: Path, token: str) -> None:
    """With what to do."""
    file = tmp_path / "token"
    file.write_text(token)
    command = [sys.executable, "-m", "scops.standalone", "browser", "--token-file", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert 0 != done.returncode
    assert "openssl rand -hex 24" in done.stderr
