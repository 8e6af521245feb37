"""The panel for everybody: at once, with any means, and deaf to pages."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.attacks import ASKED as VOLES
from tests.e2e.attacks import PAYLOADS, attacking, taken
from tests.e2e.extension.browser import ExtendedBrowser
from tests.e2e.system import System
from tests.e2e.web.manners import wrong
from tests.fakes.servers.origin import Origin

PRICES = "/policies/prices.html"
ASKED = "How much does the River plan cost?"
# What a page can try: messages to the extension, to whoever listens, and calls as if it were one.
FORGED = """async ([id, server]) => {
    const tried = [];
    const message = { type: "pair", server: { url: "http://evil.example", key: "sk" } };
    for (const target of [window, document]) {
        target.dispatchEvent(new CustomEvent("scops", { detail: message }));
    }
    window.postMessage(message, "*");
    window.scopsPage = { shown: () => ({ selection: "forged", links: [], selected: [] }) };
    tried.push(typeof chrome?.runtime?.sendMessage);
    for (const name of ["manifest.json", "sidepanel.html", "page.js"]) {
        tried.push(await fetch(`chrome-extension://${id}/${name}`).then(() => "read", () => "no"));
    }
    const call = { method: "POST", body: "{}", headers: { "x-scops-extension": "1" } };
    tried.push(await fetch(`${server}/v1/scopes`, call).then(() => "read", () => "no"));
    const frame = document.createElement("iframe");
    frame.src = `chrome-extension://${id}/sidepanel.html`;
    document.body.append(frame);
    await new Promise(resolve => setTimeout(resolve, 500));
    tried.push(frame.contentDocument === null ? "no" : frame.contentDocument.title);
    return tried;
}"""


def test_a_page_that_forges_messages_changes_nothing(
    known: System, tarn: Origin, browser: ExtendedBrowser
) -> None:
    """It reaches neither the extension, nor its files, nor the server in its name."""
    browser.pair(known.http_url)
    before = browser.stored()
    page = browser.visit(tarn.url + PRICES)
    tried = page.evaluate(FORGED, [browser.id, known.http_url])

    assert ["undefined", *["no"] * 5] == tried
    panel = browser.panel()
    panel.get_by_role("button", name="Ask", exact=True).first.click()
    page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))")
    panel.get_by_role("button", name="Take the selection").click()
    expect(panel.get_by_label("Question")).to_have_value("Prices of the data plans")
    assert before["server"] == browser.stored()["server"]


def test_nothing_of_a_page_becomes_markup_in_the_panel(
    system: System, origin: Origin, browser: ExtendedBrowser
) -> None:
    """Titles, texts and addresses that want to be markup are shown as text, and run nowhere."""
    urls = [attacking(origin, payload, place) for place, payload in enumerate(PAYLOADS)]
    attacks = f"{origin.url.removeprefix('http://')}/attack"
    system.create_scope("owls", seeds=urls[:1], include=[attacks])
    system.crawl("owls", urls=urls)
    browser.pair(system.http_url)
    page = browser.visit(urls[0])
    panel = browser.panel()
    panel.locator(".facts").wait_for()
    found = {"card": taken(panel)}
    for url in urls[1:]:
        page.goto(url)
        page.bring_to_front()
        expect(panel.get_by_role("heading", level=1)).to_have_text(page.title())
        found[url] = taken(panel)
    # A tab behind another one is drawn once a second.
    panel.bring_to_front()
    panel.get_by_role("button", name="Ask", exact=True).first.click()
    panel.get_by_label("Question").fill(VOLES)
    panel.keyboard.press("Enter")
    panel.locator(".cited-pages").wait_for()
    found["answer"] = taken(panel)
    panel.get_by_role("button", name="Explain").click()
    panel.locator(".explained").first.wait_for()
    found["explanation"] = taken(panel)

    assert {part: [] for part in found} == found


def test_nothing_is_granted_before_it_is_asked_for(built: Path) -> None:
    """The manifest names no host; what it runs is its own, and it listens to no message."""
    manifest = json.loads((built / "manifest.json").read_text())
    scripts = "".join(path.read_text() for path in built.rglob("*.js"))
    policy = manifest["content_security_policy"]["extension_pages"]

    assert {"activeTab", "scripting", "sidePanel", "storage"} == set(manifest["permissions"])
    assert not {"host_permissions", "content_scripts", "externally_connectable"} & set(manifest)
    assert "web_accessible_resources" not in manifest
    assert "unsafe" not in policy
    assert "default-src 'none'; script-src 'self'" in policy
    for listening in ("onMessage", "onConnect", 'addEventListener("message"'):
        assert listening not in scripts
    assert {"de", "en", "es", "fr"} == {path.name for path in (built / "_locales").iterdir()}


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_no_part_keeps_anybody_out(
    known: System,
    tarn: Origin,
    origin: Origin,
    browser: ExtendedBrowser,
    *,
    width: int,
    is_dark: bool,
) -> None:
    """axe finds nothing, and nothing scrolls sideways, in both themes, narrow and wide."""
    found = {}
    panel = browser.panel(width=width, is_dark=is_dark)
    panel.get_by_role("heading", level=1).wait_for()
    found["pair"] = wrong(panel)
    panel.close()
    browser.pair(known.http_url)
    page = browser.visit(tarn.url + PRICES)
    panel = browser.panel(width=width, is_dark=is_dark)
    panel.locator(".facts").wait_for()
    found["indexed"] = wrong(panel)
    page.goto(f"{origin.url}/about.html")
    page.bring_to_front()
    panel.get_by_label("a pattern of its address").wait_for()
    # A tab behind another one is drawn once a second.
    panel.bring_to_front()
    panel.get_by_label("a pattern of its address").check()
    panel.get_by_role("status").filter(has_text="begin so").wait_for()
    found["outside"] = wrong(panel)
    panel.get_by_role("button", name="Settings").click()
    panel.get_by_role("heading", name="Settings", level=1).wait_for()
    found["settings"] = wrong(panel)
    panel.get_by_role("button", name="Ask", exact=True).first.click()
    panel.get_by_label("Question").fill(ASKED)
    panel.keyboard.press("Enter")
    panel.locator(".cited-pages").wait_for()
    found["answer"] = wrong(panel)
    panel.get_by_role("button", name="Explain").click()
    panel.locator(".explained summary").first.click()
    panel.locator(".score-parts").first.wait_for()
    found["explanation"] = wrong(panel)

    assert {part: [] for part in found} == found
