"""The page that one is on: whether it is in, what changed, and how it is added."""

import re

from playwright.sync_api import expect

from examples.site_server import SITE
from tests.e2e.extension.browser import ExtendedBrowser
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

PRICES = "/policies/prices.html"
SUPPORT = "/support.html"
SAFETY = "/policies/safety.html"
WARRANTY = "/policies/warranty.html"


def test_a_page_is_not_in_then_let_in_then_indexed(
    system: System, origin: Origin, browser: ExtendedBrowser
) -> None:
    """The three states of a page, each with what can be done about it."""
    browser.pair(system.http_url)
    url = origin.url + SUPPORT
    browser.visit(url)
    panel = browser.panel()
    expect(panel.locator(".verdict")).to_contain_text("Not in any scope that you may ask.")
    system.create_scope("support", include=[_rule(origin, SUPPORT)])
    panel.reload()
    expect(panel.locator(".verdict")).to_contain_text("Not fetched yet in @support")
    expect(panel.locator(".pairs")).to_contain_text(_rule(origin, SUPPORT))
    panel.get_by_role("button", name="Fetch it now").click()
    expect(panel.get_by_text("It is in, and can answer.")).to_be_visible(timeout=60_000)

    expect(panel.locator(".verdict")).to_contain_text("Indexed in @support")
    expect(panel.locator(".facts")).to_contain_text("verified")
    expect(panel.locator(".versions")).to_contain_text("v1")


def test_what_changed_since_one_looked_is_marked_where_it_stands(
    system: System, origin: Origin, browser: ExtendedBrowser
) -> None:
    """Told by the difference, marked on the page word for word, and gone once it is seen."""
    browser.pair(system.http_url)
    url = origin.url + PRICES
    system.create_scope("prices", seeds=[url], include=[_rule(origin, PRICES)])
    system.crawl("prices", urls=[url])
    page = browser.visit(url)
    panel = browser.panel()
    expect(panel.get_by_text("for the first time here")).to_be_visible()
    origin.replace(PRICES, (SITE / "edition-2" / PRICES.lstrip("/")).read_bytes())
    system.crawl("prices", urls=[url])
    page.reload()
    page.bring_to_front()
    panel.reload()
    expect(panel.get_by_role("heading", name="1 change since you saw it")).to_be_visible()
    expect(panel.locator(".diff del")).to_contain_text("14")
    panel.get_by_role("button", name="Show on the page").click()
    expect(panel.get_by_text(re.compile("marked on the page"))).to_be_visible()

    assert ["17"] == browser.marked(page, "added")

    panel.get_by_role("button", name="Take the marks away").click()
    expect(panel.get_by_role("button", name="Show on the page")).to_be_visible()
    assert [] == browser.marked(page, "added")
    panel.get_by_role("button", name="Seen").click()
    expect(panel.get_by_text("Nothing changed since you saw it")).to_be_visible()
    panel.reload()
    expect(panel.get_by_text("Nothing changed since you saw it")).to_be_visible()


def test_a_page_is_added_to_a_new_scope(
    system: System, origin: Origin, browser: ExtendedBrowser
) -> None:
    """One press adds the page that one is on, and has it fetched."""
    browser.pair(system.http_url)
    url = origin.url + SAFETY
    browser.visit(url)
    panel = browser.panel()
    panel.get_by_label("Into").select_option(label="a new scope")
    panel.get_by_label("Name of the scope").fill("safety")
    panel.get_by_role("button", name="Add 1 page").click()
    expect(panel.locator(".verdict")).to_contain_text("@safety")
    page = system.wait_fetched(url)

    assert ["scopes/safety"] == list(page.scopes)


def test_a_pattern_is_counted_before_it_is_added(
    system: System, origin: Origin, browser: ExtendedBrowser
) -> None:
    """Links that begin so are counted on the page, known pages by the server."""
    browser.pair(system.http_url)
    system.create_scope("guide", seeds=[f"{origin.url}/guide/"], include=[_rule(origin, "/guide")])
    browser.visit(origin.url + WARRANTY)
    panel = browser.panel()
    panel.get_by_label("a pattern of its address").check()
    count = panel.get_by_role("status").filter(has_text="begin so")
    expect(count).to_have_text(
        re.compile(r"^\d+ links? on this page begin so, \d+ pages? known\.$")
    )
    folder = count.inner_text()
    host = origin.url.removeprefix("http://")
    panel.get_by_role("group", name="Cut the address").get_by_role("button", name=host).click()
    expect(count).not_to_have_text(folder)
    panel.get_by_role("button", name="/policies").click()
    expect(count).to_have_text(folder)
    panel.get_by_label("Into").select_option(label="@guide")
    panel.get_by_role("button", name="Add the pattern").click()

    expect(panel.locator(".verdict")).to_contain_text("@guide")
    system.wait_fetched(origin.url + WARRANTY)


def test_links_of_the_page_and_of_the_selection_are_added(
    system: System, origin: Origin, browser: ExtendedBrowser
) -> None:
    """Each link counts once; of the selection those inside of it alone."""
    browser.pair(system.http_url)
    origin.replace(
        "/list.html",
        '<!doctype html><title>List</title><h1>List</h1><p id="some"><a href="/about.html">A</a> '
        '<a href="/faq.html#x">B</a></p><p><a href="/faq.html">B again</a> '
        '<a href="/glossary.html">C</a> <a href="mailto:a@b.example">D</a></p>',
        type="text/html",
    )
    page = browser.visit(f"{origin.url}/list.html")
    page.evaluate("getSelection().selectAllChildren(document.getElementById('some'))")
    panel = browser.panel()
    panel.get_by_label("the links on this page").check()
    expect(panel.get_by_role("button", name="Add 3 pages")).to_be_visible()
    panel.get_by_label("the links in the selection").check()
    panel.get_by_label("Into").select_option(label="a new scope")
    panel.get_by_label("Name of the scope").fill("selected")
    panel.get_by_role("button", name="Add 2 pages").click()
    about = f"{origin.url}/about.html"
    system.until(lambda: "scopes/selected" in _scopes_of(system, about))

    assert "scopes/selected" not in _scopes_of(system, f"{origin.url}/glossary.html")


def test_the_badge_is_drawn_only_where_it_was_wanted(
    system: System, origin: Origin, browser: ExtendedBrowser
) -> None:
    """Nothing is asked before it is on, and nothing of hosts that are left out."""
    browser.pair(system.http_url)
    url = f"{origin.url}/releases/index.html"
    system.create_scope("releases", seeds=[url], include=[_rule(origin, "/releases")])
    system.crawl("releases", urls=[url])
    page = browser.visit(url)
    other = browser.visit(f"{origin.url}/releases/")
    assert "" == browser.badge(page)
    panel = browser.panel()
    panel.get_by_role("button", name="Settings").click()
    panel.get_by_label("Show on the icon").check()
    panel.get_by_role("button", name="Save").click()
    expect(panel.get_by_text("Saved.")).to_be_visible()
    page.bring_to_front()
    page.reload()
    system.until(lambda: browser.badge(page) == "✓")
    other.goto(f"{origin.url}/releases/never.html")
    system.until(lambda: browser.badge(other) == "…")
    panel.get_by_label("Never tell it pages").fill("127.0.0.1\n")
    panel.get_by_role("button", name="Save").click()
    page.bring_to_front()
    page.reload()

    system.until(lambda: browser.badge(page) == "")


def _scopes_of(system: System, url: str) -> list[str]:
    try:
        return list(system.page(url).scopes)
    except Exception as error:
        if "NOT_FOUND" not in str(error):
            raise
        return []


def _rule(origin: Origin, path: str) -> str:
    return origin.url.partition("://")[2] + path
