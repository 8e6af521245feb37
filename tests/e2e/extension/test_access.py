"""What lets the extension see a page: a press of its icon there, as long as one is on that site."""

from playwright.sync_api import expect

from tests.e2e.extension.browser import ExtendedBrowser
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

READ = """async () => {
    const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true });
    const target = { tabId: tab.id };
    const read = { target, func: () => document.title };
    return chrome.scripting.executeScript(read).then(([told]) => told.result, () => "refused");
}"""


def test_a_page_is_seen_once_the_icon_is_pressed_on_it(
    system: System, origin: Origin, seeing_nothing: ExtendedBrowser
) -> None:
    """Before, and on the next site, neither its address is told nor its text given out."""
    browser = seeing_nothing
    system.create_scope("notes", include=[origin.url.partition("://")[2]])
    browser.pair(system.http_url)
    # Other hosts than the server's, and than each other.
    site, next_site = (
        origin.url.replace("127.0.0.1", host) for host in ("localhost", "next.localhost")
    )
    page = browser.visit(f"{site}/about.html")
    panel = browser.panel()
    unseen = panel.get_by_role("heading", name="The browser does not tell Scops which page")
    expect(unseen).to_be_visible()
    page.bring_to_front()
    before = browser.worker.evaluate(READ)
    browser.press_icon(page)
    expect(panel.locator(".panel-page")).to_contain_text("localhost")
    expect(panel.locator(".panel-page")).to_contain_text("/about.html")
    panel.get_by_text("Capture this page as you see it").click()
    panel.get_by_role("button", name="Show what would be sent").click()
    expect(panel.get_by_text("of text and structure")).to_be_visible()
    pressed = browser.worker.evaluate(READ)
    page.goto(f"{next_site}/about.html")
    expect(unseen).to_be_visible()

    assert ["refused", page.title(), "refused"] == [before, pressed, browser.worker.evaluate(READ)]
