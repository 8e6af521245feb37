"""Somebody who has never seen Scops asks a first question of a site: steps, seconds and pictures.

On a folder and a browser profile that nothing is in, with the waits of the default settings: one
request a second. It prints when each step was done, in seconds since `scops up` was typed, and
writes `docs/images/first-minute-*.webp`.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from examples.demo import free_port, scops
from examples.site_server import SiteServer
from tools.screenshots import DESK, PATIENCE_MS, chromium, keep

STOP_SECONDS, POLL_SECONDS = 30, 0.05
QUESTION = "What is Tarn?"


def main() -> None:
    """Takes the steps and tells how long each took."""
    site = SiteServer()
    site.start()
    with tempfile.TemporaryDirectory(prefix="scops-first-minute-") as folder:
        started = time.monotonic()
        with up(Path(folder)) as url, sync_playwright() as playwright:
            told("scops up says where the web page is", started)
            browser = chromium(playwright)
            context = browser.new_context(
                viewport={"width": DESK[0], "height": DESK[1]},
                reduced_motion="reduce",
                locale="en-GB",
            )
            context.set_default_timeout(PATIENCE_MS)
            walk(context.new_page(), url, site.origin, started)
            browser.close()
    site.stop()


@contextmanager
def up(folder: Path) -> Iterator[str]:
    """Types `scops up` and yields the address of the web page that it prints."""
    port = free_port()
    environment = {
        **os.environ,
        "SCOPS_DATA_DIR": str(folder),
        "SCOPS_GATEWAY_PORT": port,
        "SCOPS_HEALTH_PORT": free_port(),
        # The site lies on this machine, which a crawl reaches only where that is allowed.
        "SCOPS_FETCHER_ALLOWED_PRIVATE": "127.0.0.0/8:*",
    }
    said = folder / "said"
    with said.open("wb") as out:
        system = subprocess.Popen(scops("up"), env=environment, stdout=out, stderr=out)
    try:
        while not (found := re.search(r"web page (http://[^,\s]+)", said.read_text())):
            if system.poll() is not None:
                sys.exit(f"scops up ended: {said.read_text()}")
            time.sleep(POLL_SECONDS)
        yield found[1]
    finally:
        system.terminate()
        system.wait(STOP_SECONDS)


def walk(page: Page, url: str, origin: str, started: float) -> None:
    """Goes from the page's address to an answer with its evidence."""
    page.goto(url)
    page.get_by_label("Address").wait_for()
    told("the page asks for an address", started, page, "address")
    page.get_by_label("Address").fill(origin)
    page.get_by_role("button", name="Show what it costs").click()
    page.get_by_label("Name of the scope").fill("tarn")
    told("what a crawl would cost is shown", started, page, "cost")
    page.get_by_role("button", name="Crawl 200 pages at most").click()
    page.get_by_label("Question").fill(QUESTION)
    ask = page.get_by_role("button", name="Ask", exact=True)
    expect(ask).to_be_enabled(timeout=PATIENCE_MS)
    told("five pages are in: a question is possible", started, page, "crawl")
    ask.click()
    page.locator(".cited-pages").wait_for()
    told("the first question is answered, while the crawl goes on", started, page, "answer")
    page.keyboard.press("j")
    page.locator(".evidence mark").first.wait_for()
    told("the quote is shown on its page", started, page, "quote")


def told(step: str, started: float, page: Page | None = None, name: str = "") -> None:
    """Prints when a step was done, and takes its picture."""
    print(f"{time.monotonic() - started:6.1f} s  {step}")
    if page:
        keep(page, f"first-minute-{name}")


if __name__ == "__main__":
    main()
