"""Debian's Firefox, driven by WebDriver BiDi, with the extension as a person installs it.

Source: https://w3c.github.io/webdriver-bidi/. Presses and keys are input of the browser's own, so
that access is asked for as by a person; only the question of the browser itself is answered
beforehand, by a preference.
"""

import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.fakes.servers.machine import free_port

ADDON = "extension@scops.invalid"
# Under which its pages are found; else it is drawn.
HOST = "5c095000-0000-4000-8000-000000000001"
PREFERENCES = {
    "extensions.webextensions.uuids": json.dumps({ADDON: HOST}),
    # Access that is asked for in a press is given without a window that nobody could press in.
    "extensions.webextOptionalPermissionPrompts": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "intl.accept_languages": "en-GB",
}
READY_SECONDS = 60.0
WAIT_SECONDS = 60.0
ANSWER_SECONDS = 60.0
POLL_SECONDS = 0.1


class Firefox:
    """A fresh profile that the extension is installed in; one window, with tabs.

    Args:
        folder: for the profile.
        extension: as it was built, unpacked.
    """

    def __init__(self, folder: Path, extension: Path) -> None:
        executable = shutil.which("firefox-esr")
        assert executable, "firefox-esr is missing: run make setup-system"
        folder.mkdir()
        lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in PREFERENCES.items())
        (folder / "user.js").write_text("\n".join(lines))
        port = free_port()
        words = [executable, "--headless", "--no-remote", "--profile", str(folder)]
        # The pages of an extension are the browser's own to WebDriver.
        words += ["--remote-allow-system-access", "--remote-debugging-port", str(port)]
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen(words, stdout=self._log, stderr=subprocess.STDOUT)
        self._calls = 0
        self._socket = _connected(f"ws://127.0.0.1:{port}/session")
        self.call("session.new", capabilities={})
        where = {"type": "path", "path": str(extension)}
        self.call("webExtension.install", extensionData=where)

    def close(self) -> None:
        """Ends the browser."""
        self._socket.close()
        self._process.terminate()
        self._process.wait(timeout=READY_SECONDS)
        self._log.close()

    def call(self, method: str, **params: Any) -> Any:
        """Returns the result of a command."""
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv(timeout=ANSWER_SECONDS))
            if told.get("id") == self._calls:
                assert told["type"] == "success", f"{method}: {told['error']}: {told['message']}"
                return told["result"]

    def tab(self, url: str) -> "Tab":
        """Opens a page in a tab."""
        opened = Tab(self, self.call("browsingContext.create", type="tab")["context"])
        opened.go(url)
        return opened

    def panel(self) -> "Tab":
        """Opens the panel as a page; it is about the tab that was looked at last."""
        return self.tab(f"moz-extension://{HOST}/sidepanel.html")


class Tab:
    """A page in a tab, read by its DOM and used by presses and keys."""

    def __init__(self, browser: Firefox, context: str) -> None:
        self._browser = browser
        self._context = context

    def go(self, url: str) -> None:
        """Opens a page."""
        self._browser.call(
            "browsingContext.navigate", context=self._context, url=url, wait="complete"
        )

    def run(self, function: str, *given: str) -> Any:
        """Returns what a function of the page's says of some texts: text, number or nothing."""
        told = self._browser.call(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[{"type": "string", "value": one} for one in given],
            target={"context": self._context},
            awaitPromise=True,
        )
        assert told["type"] == "success", told["exceptionDetails"]["text"]
        return told["result"].get("value")

    def text(self) -> str:
        """Returns what the page says."""
        return str(self.run("() => document.body.innerText"))

    def wait(self, text: str) -> None:
        """Waits until the page says something."""
        ends = time.monotonic() + WAIT_SECONDS
        while text not in (said := self.text()):
            assert time.monotonic() < ends, f"{text!r} is not said in:\n{said}"
            time.sleep(POLL_SECONDS)

    def press(self, label: str) -> None:
        """Presses the button, summary or field that says a text first."""
        x, y = self._place(label)
        moves = [
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        self._act({"type": "pointer", "id": "mouse", "actions": moves})

    def _place(self, label: str) -> tuple[int, int]:
        """Waits until something to press says a text; returns where it is, once it stays there."""
        ends = time.monotonic() + WAIT_SECONDS
        last = None
        while (place := self.run(PLACE, label)) is None or place != last:
            assert time.monotonic() < ends, f"nothing to press says {label!r} in:\n{self.text()}"
            last = place
            time.sleep(POLL_SECONDS)
        x, y = json.loads(place)
        return x, y

    def write(self, label: str, text: str) -> None:
        """Types into the field of a label, over what stands in it."""
        self.press(label)
        self.run("() => document.activeElement.select()")
        self._type(text)

    def choose(self, label: str, option: str) -> None:
        """Chooses of the list of a label by typing how an option begins, as keyboards do."""
        self._place(label)
        self.run(FOCUS, label)
        self._type(option)

    def _type(self, text: str) -> None:
        keys = [{"type": kind, "value": one} for one in text for kind in ("keyDown", "keyUp")]
        self._act({"type": "key", "id": "keyboard", "actions": keys})

    def _act(self, source: dict[str, Any]) -> None:
        self._browser.call("input.performActions", context=self._context, actions=[source])


FOCUS = """label => [...document.querySelectorAll("select")]
    .find(one => one.labels[0]?.innerText.trim().startsWith(label)).focus()"""
# The middle of what may be pressed, in view; nothing where there is none.
PLACE = """label => {
    const said = one => one.labels?.length ? one.labels[0].innerText
        : one.getAttribute("aria-label") ?? one.innerText;
    const found = [...document.querySelectorAll("button, summary, input, textarea, select")]
        .find(one => one.checkVisibility() && !one.disabled && said(one).trim().startsWith(label));
    if (!found) return null;
    found.scrollIntoView({ block: "center" });
    const box = found.getBoundingClientRect();
    return JSON.stringify([Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]);
}"""


def _connected(url: str) -> ClientConnection:
    ends = time.monotonic() + READY_SECONDS
    while True:
        try:
            return connect(url, max_size=None).__enter__()
        except (OSError, InvalidStatus):
            if time.monotonic() > ends:
                raise
            time.sleep(POLL_SECONDS)
