"""Takes docs/images/*.webp: each place of the web page and the extension's panel, as people see it.

It tells the story of `tools/story.py` by a running system and the example site, and photographs
what a browser shows: at 1280 px light and dark, and at 360 px.
`python -m tools.screenshots [PLACE …]` takes some of them again.
"""

import argparse
import base64
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from tools.story import PRICE, Story, told

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
EXTENSION = ROOT / "clients" / "extension" / ".output" / "chrome-mv3"
QUALITY = 70
BYTES_MAX = 1_500_000
PATIENCE_MS = 60_000
DESK, PHONE, PANEL = (1280, 800), (360, 740), (380, 740)


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the web page.

    Args:
        path: where it is.
        act: what is done there before it is photographed.
    """

    name: str
    path: str
    act: Callable[[Page], None]


@dataclass(frozen=True, slots=True)
class Look:
    """How a place is looked at."""

    name: str
    size: tuple[int, int]
    is_dark: bool = False


ON_DESKS = (Look("light", DESK), Look("dark", DESK, is_dark=True))
LOOKS = (*ON_DESKS, Look("360", PHONE))


def main() -> None:
    """Takes all screenshots, or those of the places that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="*", help="names of places; all without one")
    wanted = set(parser.parse_args().places)
    if not EXTENSION.is_dir():
        sys.exit(f"{EXTENSION} is missing: run make clients, which builds the extension.")
    with told() as story, sync_playwright() as playwright:
        browser = chromium(playwright)
        for place in places(story):
            if not wanted or place.name in wanted:
                photograph(browser, story.url, place)
        browser.close()
        if not wanted or "panel" in wanted:
            for look in ON_DESKS:
                panel(playwright, story, look)
    total = sum(path.stat().st_size for path in IMAGES.glob("*.webp"))
    print(f"{len(list(IMAGES.glob('*.webp')))} screenshots, {total / 1000:.0f} KB")
    if total > BYTES_MAX:
        sys.exit(f"They are larger than {BYTES_MAX / 1e6:g} MB together: lower QUALITY.")


def places(story: Story) -> tuple[Place, ...]:
    """Returns every place of the page in the order of the story."""
    return (
        Place("first", "/new", lambda page: plan(page, f"{story.origin}/policies/")),
        Place("ask", f"/ask?scope=tarn&q={PRICE}", evidence),
        Place("superseded", f"/{story.chat}", shown(".diff-short ins")),
        Place("not-answered", "/ask?scope=tarn&q=What is the capital of Peru?", nothing),
        Place("explain", f"/explain?scope=tarn&q={PRICE}", numbers),
        Place("score-lab", "/explain?q=What is new?", weights),
        Place("scopes", "/scopes", shown(".pane")),
        Place("changes", "/scopes/tarn/changes", recent),
        Place("studio", "/scopes/tarn", lambda page: rules(page, story.origin)),
        Place("history", "/scopes/tarn/changes", versions),
        Place("jobs", "/jobs", job),
        Place("operate", "/operate", shown(".table td")),
    )


def plan(page: Page, address: str) -> None:
    """Names a folder and waits for what a crawl of it would cost."""
    page.get_by_label("Address").fill(address)
    page.get_by_role("button", name="Show what it costs").click()
    page.get_by_label("Name of the scope").wait_for()


def evidence(page: Page) -> None:
    """Opens the first citation at its quote; on phones it would hide the answer."""
    page.locator(".cited-pages").wait_for()
    if page.viewport_size and page.viewport_size["width"] > PHONE[0]:
        page.keyboard.press("j")
        page.locator(".evidence mark").first.wait_for()


def nothing(page: Page) -> None:
    """Waits for what an answer lacks."""
    page.get_by_text("Not answered").first.wait_for()


def numbers(page: Page) -> None:
    """Shows the parts of a score with their numbers."""
    page.locator("summary").get_by_text("Parts of the score").click()
    page.get_by_role("button", name="Exact numbers").click()


def weights(page: Page) -> None:
    """Prefers a scope and shows who rose and fell."""
    page.locator("summary").get_by_text("Preferred scopes").click()
    page.get_by_label("@releases").check()
    page.get_by_text(re.compile("^[1-9][0-9]* of .* stand elsewhere")).wait_for()
    page.locator(".lab").scroll_into_view_if_needed()


def recent(page: Page) -> None:
    """Shows the changes since the first crawl."""
    page.get_by_label("in the last").select_option("7")
    page.locator(".timeline ins").first.wait_for()


def rules(page: Page, origin: str) -> None:
    """Writes a rule, so that its preview shows what would go out."""
    page.get_by_role("button", name="Add a rule").click()
    page.get_by_label("Rule 3: in or out").select_option("out")
    page.get_by_label("Rule 3: pattern").fill(f"{origin.partition('://')[2]}/releases")
    page.get_by_role("button", name="Change the scope").wait_for()
    page.locator(".preview-sides li").first.wait_for()


def versions(page: Page) -> None:
    """Opens the history of a page that changed."""
    recent(page)
    page.get_by_role("link", name="Prices of the data plans").first.click()
    page.locator(".diff").first.wait_for()


def job(page: Page) -> None:
    """Opens the newest job with what became of each page."""
    page.locator(".table a").first.click()
    page.locator("summary").first.click()
    page.locator("details[open] td").first.wait_for()


def shown(selector: str) -> Callable[[Page], None]:
    """Returns what waits until something is shown."""
    return lambda page: page.locator(selector).first.wait_for()


def chromium(playwright: Playwright) -> Browser:
    """Starts the browser of this machine."""
    return playwright.chromium.launch(
        executable_path=executable(), args=["--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    )


def executable() -> str:
    """Returns where the browser lies."""
    found = shutil.which("chromium")
    return found or sys.exit("chromium is missing: run make setup-system")


def photograph(browser: Browser, url: str, place: Place) -> None:
    """Takes a place in each of its looks."""
    for look in LOOKS:
        width, height = look.size
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if look.is_dark else "light",
            reduced_motion="reduce",
            locale="en-GB",
        )
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(url + place.path)
        place.act(page)
        keep(page, f"{place.name}-{look.name}")
        forget(page, url, place)
        context.close()


def forget(page: Page, url: str, place: Place) -> None:
    """Deletes the chat that a picture began: the next one shows those of the story alone."""
    path = page.url.removeprefix(url)
    if path.startswith("/chats/") and path != place.path:
        page.request.delete(f"{url}/v1{path}")


def panel(playwright: Playwright, story: Story, look: Look) -> None:
    """Takes the extension's panel beside a page that it knows, with an answer."""
    with tempfile.TemporaryDirectory(prefix="scops-panel-") as folder:
        granted = Path(folder) / "extension"
        shutil.copytree(EXTENSION, granted)
        grant(granted / "manifest.json")
        context = playwright.chromium.launch_persistent_context(
            f"{folder}/profile",
            executable_path=executable(),
            headless=False,
            color_scheme="dark" if look.is_dark else "light",
            reduced_motion="reduce",
            locale="en-GB",
            viewport={"width": PANEL[0], "height": PANEL[1]},
            ignore_default_args=["--disable-extensions"],
            args=[
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--disable-extensions-except={granted}",
                f"--load-extension={granted}",
            ],
        )
        context.set_default_timeout(PATIENCE_MS)
        workers = context.service_workers or [context.wait_for_event("serviceworker")]
        address = f"chrome-extension://{workers[0].url.split('/')[2]}/sidepanel.html"
        page = context.new_page()
        page.goto(address)
        page.get_by_label("Server").fill(story.url)
        page.get_by_role("button", name="Pair").click()
        expect(page.locator(".panel-top")).to_contain_text("connected")
        page.close()
        context.new_page().goto(f"{story.origin}/policies/prices.html")
        page = context.new_page()
        page.goto(address)
        page.locator(".facts").first.wait_for()
        keep(page, f"panel-page-{look.name}")
        page.get_by_role("button", name="Ask", exact=True).first.click()
        page.get_by_label("Question").fill(PRICE)
        page.keyboard.press("Enter")
        page.locator(".cited-pages").wait_for()
        keep(page, f"panel-ask-{look.name}")
        context.close()


def grant(path: Path) -> None:
    """Gives the access that a person grants by a press: no program can press that button."""
    manifest = json.loads(path.read_text())
    manifest["permissions"] += manifest.pop("optional_permissions")
    manifest["host_permissions"] = ["http://127.0.0.1/*"]
    path.write_text(json.dumps(manifest))


def keep(page: Page, name: str) -> None:
    """Writes what the page shows, once nothing in it is said to be under way."""
    expect(page.get_by_text("Reading …")).to_have_count(0)
    wanted = {"format": "webp", "quality": QUALITY, "optimizeForSpeed": False}
    taken = page.context.new_cdp_session(page).send("Page.captureScreenshot", wanted)
    (IMAGES / f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))
    print(f"docs/images/{name}.webp")


if __name__ == "__main__":
    main()
