"""The build for Firefox does in Debian's Firefox what that for Chromium does in Chromium."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.extension.conftest import CLIENTS, NODE
from tests.e2e.extension.firefox import Firefox
from tests.e2e.extension.test_capture import UNSENT, account
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

# As WebDriver writes the key.
ENTER = "\ue007"
QUESTION = "How much does the Heron tariff cost?"


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as `make extension` packs it for Firefox, unpacked."""
    folder = tmp_path_factory.mktemp("extension")
    wxt = CLIENTS / "node_modules/wxt/bin/wxt.mjs"
    words = [str(NODE), str(wxt), "build", "extension", "--browser", "firefox"]
    environment = {**os.environ, "EXTENSION_OUT": str(folder)}
    subprocess.run(words, cwd=CLIENTS, env=environment, check=True, capture_output=True)
    return folder / "firefox-mv3"


@pytest.fixture
def firefox(extension: Path, tmp_path: Path) -> Iterator[Firefox]:
    browser = Firefox(tmp_path / "profile", extension)
    yield browser
    browser.close()


def test_the_panel_is_paired_captures_asks_and_answers(
    firefox: Firefox, system: System, origin: Origin
) -> None:
    """By presses alone, with the access that they ask for; the build is as it is given out."""
    origin.handle("/account", account)
    url = f"{origin.url}/account"
    # The first of the list, where a capture would go without a choice.
    system.create_scope("aside", include=["aside.example"])
    system.create_scope("firefox", include=[origin.url.partition("://")[2]])
    page = firefox.tab(f"{origin.url}/about.html")
    page.run("() => { document.cookie = 'session=ann; path=/' }")
    page.go(url)
    page.wait("The Heron tariff costs 77 euros")
    panel = firefox.panel()
    panel.wait("Pair this browser")
    panel.write("Server", system.http_url)
    panel.press("Pair")
    panel.wait("connected")
    # The page is on the server's host, which pairing gave access to.
    panel.wait("Your account")
    panel.press("Capture this page as you see it")
    panel.choose("For", "@firefox")
    panel.press("Show what would be sent")
    panel.wait("2 scripts and frames, 2 hidden parts")
    panel.press("How it begins")
    shown = panel.text()
    panel.press("Capture it for @firefox")
    panel.wait("captured by local")
    panel.press("Ask this page")
    panel.write("Question", f"{QUESTION}{ENTER}")
    panel.wait("costs 77 euros a month")

    assert f'href="{origin.url}/guide/#x"' in shown
    assert [] == [word for word in UNSENT if word in shown]
