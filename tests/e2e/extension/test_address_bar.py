"""What is typed after `scops` in the address bar is asked in the panel."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.extension.browser import ExtendedBrowser
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

PRICES = "/policies/prices.html"
# What an address has to have escaped.
ASKED = "How much does the River plan cost? 50% & more #1"
ANSWERED = "How much does the River plan cost?"


def test_what_is_entered_is_asked_at_once(
    known: System, built: Path, browser: ExtendedBrowser
) -> None:
    """In a tab of its own the panel asks it, and answers with the quote."""
    keyword = json.loads((built / "manifest.json").read_text())["omnibox"]["keyword"]
    browser.pair(known.http_url)
    with browser.context.expect_page() as opened:
        browser.enter(ANSWERED, "newForegroundTab")
    panel = opened.value
    panel.locator(".cited-pages").wait_for()

    assert "scops" == keyword
    expect(panel.get_by_role("heading", level=1)).to_have_text(ANSWERED)
    assert _is_shown(panel)


def test_where_it_was_entered_says_where_it_is_asked(
    known: System, tarn: Origin, browser: ExtendedBrowser
) -> None:
    """In the tab that one is on, or in one behind it; a question keeps its signs."""
    browser.pair(known.http_url)
    page = browser.visit(tarn.url + PRICES)
    with browser.context.expect_page() as opened:
        browser.enter(ASKED, "newBackgroundTab")
    behind = opened.value
    expect(behind.get_by_role("heading", level=1)).to_have_text(ASKED)
    assert _is_shown(page)
    browser.enter(ASKED, "currentTab")
    page.wait_for_url(f"chrome-extension://{browser.id}/**")

    expect(page.get_by_role("heading", level=1)).to_have_text(ASKED)
    assert 2 == sum(one.url == page.url for one in browser.context.pages)


def _is_shown(page: Page) -> bool:
    return bool(page.evaluate("document.visibilityState === 'visible'"))
