"""A browser with the extension: its panel as a page, its worker, and the pages one is on."""

import re
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Worker, expect

# A response that is no success is logged by the browser; tests look at what is made of it.
EXPECTED = "Failed to load resource"


class ExtendedBrowser:
    """A profile that the extension is installed in.

    Attributes:
        context: all its tabs.
        said: what consoles of the extension's pages said that is wrong.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.said: list[str] = []
        workers = context.service_workers or [context.wait_for_event("serviceworker")]
        self.worker: Worker = workers[0]
        self.id = self.worker.url.split("/")[2]

    def visit(self, url: str) -> Page:
        """Opens a page in a tab, which is then the one that a person is on."""
        page = self.context.new_page()
        page.goto(url)
        return page

    def panel(self, query: str = "", *, width: int = 380, is_dark: bool = False) -> Page:
        """Opens the panel as a page; it is about the tab that was looked at last."""
        page = self.context.new_page()
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="dark" if is_dark else "light", reduced_motion="reduce")
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.goto(f"chrome-extension://{self.id}/sidepanel.html{query}")
        return page

    def pair(self, url: str, press: str = "Pair", state: str = "connected") -> None:
        """Pairs with a server that knows everybody of this machine, and closes the panel.

        What is pressed, and what then says that it is paired, are in the browser's language.
        """
        panel = self.panel()
        panel.get_by_label("Server").fill(url)
        panel.get_by_role("button", name=press).click()
        expect(panel.locator(".panel-top")).to_contain_text(state)
        panel.close()

    def press_icon(self, page: Page) -> None:
        """Presses the icon of the extension in the toolbar, with a page before one."""
        assert self.context.browser is not None
        page.bring_to_front()
        session = self.context.browser.new_browser_cdp_session()
        tabs = session.send("Target.getTargets", {"filter": [{"type": "tab"}]})["targetInfos"]
        (tab,) = (one["targetId"] for one in tabs if one["url"] == page.url)
        session.send("Extensions.triggerAction", {"id": self.id, "targetId": tab})
        session.detach()

    def enter(self, text: str, disposition: str) -> None:
        """Hands over what was typed after the keyword in the address bar, as the browser does.

        Nothing types into the address bar itself: that `scops` and a space lead here is Chromium's.
        """
        script = "([text, how]) => chrome.omnibox.onInputEntered.dispatch(text, how)"
        self.worker.evaluate(script, [text, disposition])

    def stored(self) -> Any:
        """Returns what the extension keeps on this machine."""
        return self.worker.evaluate("chrome.storage.local.get()")

    def badge(self, page: Page) -> str:
        """Returns the badge of a tab."""
        script = """async url => {
            const [tab] = await chrome.tabs.query({ url });
            return chrome.action.getBadgeText({ tabId: tab.id });
        }"""
        # A pattern of addresses has no ports.
        pattern = re.sub(r":\d+/", "/", page.url.partition("#")[0])
        return str(self.worker.evaluate(script, pattern))

    def marked(self, page: Page, kind: str) -> list[str]:
        """Returns the texts that are marked on a page."""
        script = "kind => [...(CSS.highlights.get(kind) ?? [])].map(range => range.toString())"
        return [str(text) for text in page.evaluate(script, f"scops-{kind}")]

    def _hear(self, line: ConsoleMessage) -> None:
        if line.type == "error" and not line.text.startswith(EXPECTED):
            self.said.append(line.text)
