"""What every place of the web page and of the extension's panel is held to."""

from pathlib import Path

from playwright.sync_api import Page

AXE = Path("clients/node_modules/axe-core/axe.min.js")


def wrong(page: Page) -> list[str]:
    """Returns what axe finds, and whether the page scrolls sideways."""
    # Evaluated from outside, which the page's own policy does not forbid.
    if page.evaluate("!window.axe"):
        page.evaluate(AXE.read_text())
    # All rules, without the list of what is right: that takes most of the time.
    told = page.evaluate('axe.run({ resultTypes: ["violations"] })')
    found = [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in told["violations"]]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("scrolls sideways")
    return found
