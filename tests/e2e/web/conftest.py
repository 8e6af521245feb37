"""Debian's Chromium, for pages of a running system."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

# Of a machine that others use too.
expect.set_options(timeout=30_000)
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser; `make setup-system` installs it.

    It ends with its module: Playwright keeps an event loop running, beside which no test that
    brings its own can run.
    """
    executable = shutil.which("chromium")
    assert executable, "chromium is missing: run make setup-system"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens addresses in a profile of their own; what its console says wrong fails the test."""
    contexts = []
    said: list[str] = []

    def open_address(
        url: str, *, is_phone: bool = False, is_dark: bool = False, locale: str = "en-GB"
    ) -> Page:
        context = chromium.new_context(
            locale=locale,
            viewport=PHONE if is_phone else DESK,
            color_scheme="dark" if is_dark else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(url)
        return page

    yield open_address
    for context in contexts:
        context.close()
    # A response that is no success is logged by the browser; tests look at what the page makes of
    # it.
    assert [] == [line for line in said if not line.startswith("Failed to load resource")]
