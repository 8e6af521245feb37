"""Questions in the panel: answers as they come, quotes where they stand, and why they rank so."""

import re

import pytest
from playwright.sync_api import Page, expect

from examples.site_server import SITE
from tests.e2e.extension.browser import ExtendedBrowser
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

PRICES = "/policies/prices.html"
ASKED = "How much does the River plan cost?"
QUOTE = "The River plan costs 14 euros a month."


def test_a_quote_is_marked_on_the_page_that_one_is_on(
    known: System, tarn: Origin, browser: ExtendedBrowser
) -> None:
    """Word for word and nothing else, without a change of the page; explained by its parts."""
    browser.pair(known.http_url)
    page = browser.visit(tarn.url + PRICES)
    before = page.content()
    panel = browser.panel()
    panel.get_by_role("button", name="Ask this page").click()
    _ask(panel)
    expect(panel.locator(".statements")).to_contain_text(QUOTE)
    panel.get_by_role("button", name=re.compile("^Citation 1")).first.click()
    expect(panel.get_by_text("The quote is marked, word for word.")).to_be_visible()

    (marked,) = browser.marked(page, "quote")
    assert marked.startswith(QUOTE)
    assert marked in panel.locator(".statements").inner_text()
    assert before == page.content()

    panel.get_by_role("button", name="Explain").click()
    parts = panel.get_by_role("list", name="Parts of the score").first
    expect(panel.locator(".explained .rationale").first).to_contain_text("Ranks 1: it is ahead")
    expect(parts).to_be_hidden()
    panel.locator(".explained summary").first.click()
    expect(parts).to_contain_text("rare words")
    expect(panel.locator(".explained").first).to_contain_text("let in by@tarn")
    panel.get_by_role("button", name="Back").click()
    expect(panel.locator(".statements")).to_contain_text(QUOTE)


@pytest.mark.parametrize("browser", ["de-DE"], indirect=True)
def test_ranks_are_explained_in_the_readers_language(
    known: System, browser: ExtendedBrowser
) -> None:
    """In words, the numbers folded away; so is what goes wrong, with the server's own words."""
    browser.pair(known.http_url, "Koppeln", "verbunden")
    panel = browser.panel(f"?q={ASKED}")
    panel.get_by_role("button", name="Erklären").click()
    expect(panel.locator(".explained .rationale").first).to_contain_text("Rang 1: vor Rang 2 durch")
    expect(panel.get_by_text("Ranks 1")).to_have_count(0)
    panel.locator(".explained summary").first.click()
    expect(panel.get_by_role("list", name="Teile der Punktzahl").first).to_contain_text("Wörter")

    panel.route("**/v1/answer:stream", lambda route: route.abort())
    panel.get_by_label("Frage", exact=True).fill("Was kostet es?")
    panel.keyboard.press("Enter")
    expect(panel.get_by_role("alert")).to_contain_text("Der Server antwortet nicht.")


def test_a_quote_that_stands_no_more_is_marked_nowhere(
    known: System, tarn: Origin, browser: ExtendedBrowser
) -> None:
    """A page that changed since it was read has a lookalike; it is not taken for the quote."""
    browser.pair(known.http_url)
    tarn.replace(PRICES, (SITE / "edition-2" / PRICES.lstrip("/")).read_bytes())
    try:
        page = browser.visit(tarn.url + PRICES)
        expect(page.locator("main")).to_contain_text("The River plan costs 17 euros a month.")
        panel = browser.panel(f"?q={ASKED}")
        expect(panel.locator(".statements")).to_contain_text(QUOTE)
        panel.get_by_role("button", name=re.compile("^Citation 1")).first.click()
        expect(panel.get_by_text("The quote does not stand on the page")).to_be_visible()

        assert [] == browser.marked(page, "quote")
    finally:
        tarn.restore(PRICES)


def test_a_quote_of_another_page_opens_it_there(
    known: System, tarn: Origin, browser: ExtendedBrowser
) -> None:
    """By a text fragment, which the browser follows by itself."""
    browser.pair(known.http_url)
    browser.visit(f"{tarn.url}/about.html")
    panel = browser.panel(f"?q={ASKED}")
    expect(panel.locator(".statements")).to_contain_text(QUOTE)
    with browser.context.expect_page() as opened:
        panel.get_by_role("button", name=re.compile("^Citation 1")).first.click()

    expect(opened.value).to_have_url(re.compile(re.escape(tarn.url + PRICES)))
    expect(panel.get_by_text("Opened at the quote.")).to_be_visible()


def test_a_server_that_is_away_loses_no_question(known: System, browser: ExtendedBrowser) -> None:
    """What was asked stays, with what is wrong and one thing to do."""
    browser.pair(known.http_url)
    panel = browser.panel()
    panel.get_by_role("button", name="Ask", exact=True).first.click()
    panel.route("**/v1/answer:stream", lambda route: route.abort())
    _ask(panel)
    expect(panel.get_by_role("alert")).to_contain_text("The server does not answer.")
    panel.unroute("**/v1/answer:stream")
    panel.get_by_role("button", name="Try again").click()

    expect(panel.locator(".statements")).to_contain_text(QUOTE)


def _ask(panel: Page) -> None:
    panel.get_by_label("Question").fill(ASKED)
    panel.keyboard.press("Enter")
